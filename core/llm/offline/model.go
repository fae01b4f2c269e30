package offline

import (
	"context"
	"iter"
	"strings"
	"unicode/utf8"

	"yaap/core"
	"yaap/core/llm"
)

// Model is the offline model. The zero value is ready; it may be used by any
// number of goroutines.
type Model struct {
	// Exists reports whether a path that the user wrote is there: only such a
	// one is given to a tool that wants the path of a file. Nil: none is.
	Exists func(path string) bool
}

var _ llm.Model = (*Model)(nil)

// Name is "offline".
func (*Model) Name() string { return "offline" }

// Stream answers req as [llm.Model] demands. It fails only when ctx ends,
// and on a request that has both tools and a schema.
func (m *Model) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		if err := ctx.Err(); err != nil {
			yield(llm.Chunk{}, ended(err))
			return
		}
		if len(req.Tools) > 0 && len(req.Schema) > 0 {
			yield(llm.Chunk{}, &core.Error{Code: core.CodeInternal, Op: "offline: stream", Message: "Tools and a schema exclude each other"})
			return
		}
		turn := decide(req, m.Exists)
		usage := core.Usage{Prompt: tokensIn(req), Estimated: true}
		send := func(text string, chunk func(string) llm.Chunk) bool {
			for piece := range pieces(text) {
				if err := ctx.Err(); err != nil {
					yield(llm.Chunk{}, ended(err))
					return false
				}
				if !yield(chunk(piece), nil) {
					return false
				}
				usage.Completion++
			}
			return true
		}
		if !send(turn.thinking, func(s string) llm.Chunk { return llm.Chunk{Thinking: s} }) {
			return
		}
		done := llm.Done{Reason: llm.ReasonStop}
		if len(turn.calls) > 0 {
			done.Reason = llm.ReasonCalls
			usage.Completion += 8 * len(turn.calls)
			if !yield(llm.Chunk{Calls: turn.calls}, nil) {
				return
			}
		} else if !send(turn.text, func(s string) llm.Chunk { return llm.Chunk{Text: s} }) {
			return
		}
		done.Usage = usage
		yield(llm.Chunk{Done: &done}, nil)
	}
}

func ended(err error) error {
	return &core.Error{Code: core.CodeOf(err), Op: "offline: stream", Message: "The answer was stopped", Err: err}
}

// pieces cuts text into words, each with the space that follows it; a word that
// is very long is cut, too.
func pieces(text string) iter.Seq[string] {
	const longest = 24
	return func(yield func(string) bool) {
		for text != "" {
			n := strings.IndexAny(text, " \n")
			if n < 0 {
				n = len(text) - 1
			}
			n = min(n+1, longest)
			for n < len(text) && !utf8.RuneStart(text[n]) {
				n++
			}
			if !yield(text[:n]) {
				return
			}
			text = text[n:]
		}
	}
}

// tokensIn estimates the size of a request: four bytes are a token.
func tokensIn(req llm.Request) int {
	n := len(req.System)
	for _, m := range req.Messages {
		n += len(m.Text)
	}
	for _, t := range req.Tools {
		n += len(t.Name) + len(t.Description) + len(t.Schema)
	}
	return n / 4
}
