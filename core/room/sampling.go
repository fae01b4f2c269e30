package room

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/hub/link"
	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/core/safe"
)

const (
	sampleTime   = 5 * time.Minute // for the model to answer an expert
	maxSampled   = 256 << 10       // bytes that an expert may ask
	sampledShown = 200             // bytes of it that people are shown
)

// sampler lets experts use the model of the room, each as much as the user has
// said in the configuration.
type sampler struct {
	room *Room

	mu   sync.Mutex
	used map[string]int // tokens, by expert, until the room closes
}

// sample answers an expert. Everybody sees that it asked; what its answer costs is
// counted, and an expert that has used what it may is refused.
func (l *sampler) sample(ctx context.Context, s link.Sampling) (link.Sample, error) {
	told := core.Sampled{Expert: s.Expert, Model: l.room.models.current().Name()}
	if n := len(s.Messages); n > 0 {
		told.Prompt = safe.Cut(s.Messages[n-1].Text, sampledShown)
	}
	answer, usage, err := l.ask(ctx, s)
	l.mu.Lock()
	l.used[s.Expert] += usage.Total()
	told.Left = max(l.budget(s.Expert)-l.used[s.Expert], 0)
	l.mu.Unlock()
	if told.Usage = usage; err != nil {
		told.Error = err.Error()
	}
	l.room.bus.Emit(s.Scope, told)
	return answer, err
}

func (l *sampler) ask(ctx context.Context, s link.Sampling) (answer link.Sample, used core.Usage, err error) {
	model := l.room.models.current()
	l.mu.Lock()
	left := l.budget(s.Expert) - l.used[s.Expert]
	l.mu.Unlock()
	size := len(s.System)
	for _, m := range s.Messages {
		size += len(m.Text)
	}
	switch {
	case l.room.models.offline():
		return answer, used, core.Fail(core.CodeRefused, "the offline model cannot be lent: it asks experts itself", "choose a model with /model")
	case left <= 0:
		return answer, used, core.Fail(core.CodeRefused, fmt.Sprintf("%s has used the %d tokens that it may use", s.Expert, l.budget(s.Expert)), "raise sampling: of this expert in the configuration")
	case size == 0 || size > maxSampled:
		return answer, used, core.Fail(core.CodeRefused, fmt.Sprintf("an expert may ask the model between 1 and %d bytes", maxSampled), "ask for less at once")
	}
	most := left
	if s.MaxTokens > 0 {
		most = min(most, s.MaxTokens)
	}
	ctx, cancel := context.WithTimeout(ctx, sampleTime)
	defer cancel()
	answer.Model = model.Name()
	var text strings.Builder
	for chunk, err := range model.Stream(ctx, llm.Request{System: s.System, Messages: s.Messages, NoCalls: true}) {
		if err != nil {
			return answer, estimated(size + text.Len()), err
		}
		text.WriteString(chunk.Text)
		if done := chunk.Done; done != nil {
			used, answer.Cut = done.Usage, done.Reason == llm.ReasonLength
		}
		if text.Len() > 4*most { // tokens have some four letters
			answer.Cut, used = true, estimated(size+text.Len())
			break
		}
	}
	answer.Text = text.String()
	return answer, used, nil
}

func estimated(bytes int) core.Usage { return core.Usage{Completion: bytes/4 + 1, Estimated: true} }

// budget is how many tokens an expert may use.
func (l *sampler) budget(expert string) int {
	if w := l.room.listed.is(expert); w != nil {
		return w.tokens
	}
	return 0
}
