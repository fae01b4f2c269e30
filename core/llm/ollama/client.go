package ollama

import (
	"cmp"
	"net/http"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/llm/web"
)

const (
	hintServe   = "start it with `ollama serve`, or go on with /model offline"
	hintAnother = "choose another one with /model, or get one that fits with `ollama pull qwen3.5:4b`"
)

var errSilent = web.ErrSilent

// client makes requests to one server.
type client struct {
	base  string
	model string // what the requests are about, for the words of errors; may be empty
	http  *http.Client
}

func (c client) server() *web.Server {
	s := web.NewServer(web.Config{Name: "Ollama", BaseURL: c.base, Model: c.model, HTTP: c.http})
	s.Product, s.WrongServerHint, s.UnreachableHint = "Ollama", hintHost, hintServe
	s.IdleHint = "try a smaller model, or look with `ollama ps` what the server is doing"
	s.NoModelHint = "get it with `ollama pull " + c.model + "`, or choose another one with /model"
	s.Classify = func(status int, kind, text string) *core.Error { return classify(s, status, kind, text) }
	return s
}

// classify makes an error of what the server says; status is 0 for an error in
// the middle of a stream.
func classify(s *web.Server, status int, kind, text string) *core.Error {
	e := s.StatusError(status, kind, text)
	model := cmp.Or(s.Model, "the model")
	switch {
	case web.ContainsAny(text, "does not support"): // tools, thinking, chat
		e.Code, e.Message, e.Hint = core.CodeNoModel, model+" cannot be used here", hintAnother
		if web.ContainsAny(text, "support tools") {
			e.Message = model + " cannot call tools, so it cannot ask the experts"
		}
	case e.Code == core.CodeContextFull, e.Code == core.CodeModelBehavior:
	case web.ContainsAny(text, "system memory", "out of memory", "unable to load model", "unable to allocate"):
		e.Code, e.Message, e.Hint = core.CodeNoModel, model+" cannot be loaded on this machine", "choose a smaller one with /model"
	case web.ContainsAny(text, "json schema", "invalid format"):
		e.Code, e.Message, e.Hint = core.CodeInternal, "Ollama does not understand the form that "+model+" is to answer in", ""
	case e.Code == core.CodeRefused:
		e.Message, e.Hint = "Ollama does not let you use "+model, "sign in with `ollama signin`, or choose another one with /model"
	case e.Code == core.CodeUnreachable:
		e.Hint = "try again; when it stays so, look into the log of `ollama serve`"
	}
	return e
}
