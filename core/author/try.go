package author

import (
	"context"
	"time"

	"github.com/yaap-chat/yaap/core"
)

// TryResult is what an expert made of a question.
type TryResult struct {
	Bid    *core.Bid // nil: it does not bid, or declines
	Answer string
	Status string // of a reply in SACP
	Failed bool   // the call has failed
}

// Try puts a question to an expert alone.
func Try(ctx context.Context, command []string, dir, question string, limit time.Duration) (TryResult, error) {
	s, err := start(ctx, command, dir, limit)
	if err != nil {
		return TryResult{}, err
	}
	defer s.kill()
	c := &checker{session: s}
	if !c.sayHello(ctx) || !c.list(ctx) {
		last := c.findings[len(c.findings)-1]
		return TryResult{}, core.Fail(core.CodeInvalid, last.Text, last.Fix)
	}
	var tried TryResult
	if c.hello != nil && c.hello.Bids {
		if bids, err := c.bids(ctx, []string{question}); err == nil && len(bids) == 1 {
			tried.Bid = bids[0]
		}
	}
	tool, _, ok := c.question()
	if !ok {
		return tried, core.Fail(core.CodeInvalid, "none of its tools takes just a prompt", "ask it in the room: yaap run --expert 'NAME=COMMAND' '@NAME TOOL argument=value'")
	}
	answer, err := c.call(ctx, tool, map[string]any{"prompt": question})
	if err != nil {
		c.wrong("the question", err)
		last := c.findings[len(c.findings)-1]
		return tried, core.Fail(core.CodeInvalid, last.Text, last.Fix)
	}
	tried.Answer, tried.Failed, _ = readAnswer(answer)
	if reply, ok := readReply(tried.Answer); ok && c.promised() {
		tried.Answer, tried.Status = reply.Message, reply.Status
	}
	return tried, nil
}
