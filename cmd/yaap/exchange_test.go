package main

import (
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core/llm/ollama/ollamatest"
)

func TestWhatAModelWasSentAndAnsweredIsReadInTheEventsWithoutSecrets(t *testing.T) {
	const secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
	model := ollamatest.New(t, ollamatest.Reply{Text: `{"thought": "", "status": "success", "data": {}, "message": "Fish, mostly, but not ` + secret + `."}`})
	home := t.TempDir()
	write(t, filepath.Join(home, "XDG_CONFIG_HOME", "yaap", "config.yaml"),
		"builtin: [calc]\nmemory: false\nmodel: ollama/scripted:1b\nproviders: {ollama: {url: "+model.URL+"}}\nmodels:\n  ollama/scripted:1b: {max_tokens: 512, temperature: 0.5}\n")
	write(t, filepath.Join(home, "AGENTS.md"), "Speak of herons only. The token of the deployment is "+secret+".\n")
	s := openScreenIn(t, home, 150, 400, options{})
	s.see(`calc is in the room`)
	s.enter("what do herons eat?")
	s.see(`Fish, mostly`)
	s.enter("\x1b[17~/llm_call_start")
	_, _ = io.WriteString(s.in, "\r")
	s.see(`sent to ollama/scripted:1b · 1 message · `)
	s.see(`options +\{"max_tokens": ?512, ?"temperature": ?0.5\}`)
	s.see(`user +what do herons eat\?`)
	s.see(`Speak of herons only`)
	s.see(`now +The current date and time is`)
	s.see(`tools +\w+: `)
	s.see(`came back(?s:.*)assistant +\{"thought": "", "status": "success", "data": \{\}, "message": "Fish, mostly`)
	s.until("the secret gone", func(text string) bool { return !strings.Contains(text, secret[:12]) })

	other := inspectIn(t, home, 100, 60, "events")
	other.see(`EVENTS`)
	_, _ = io.WriteString(other.in, "/llm_call_end\r\r")
	other.see(`Only the conversation as it was then is kept on disk`)
	other.see(`user +what do herons eat\?`)
	other.see(`came back · stop(?s:.*)assistant +.*Fish, mostly`)
	other.until("the secret gone", func(text string) bool { return !strings.Contains(text, secret[:12]) })
}
