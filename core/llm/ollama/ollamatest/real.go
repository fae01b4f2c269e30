package ollamatest

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/yaap-chat/yaap/core/processes"
)

// Real is the server of Ollama itself, on models that say what they are told.
type Real struct {
	URL   string // also good as OLLAMA_HOST
	Reads int    // tokens that models read which are made from now on

	t      testing.TB
	kill   func() error
	models int
}

// Kill ends the server at once, and those that run its models.
func (r *Real) Kill() { _ = r.kill() } // it may have ended

// NewReal starts the server that .ci/ollama/build has built. It ends with the test.
func NewReal(t testing.TB) *Real {
	t.Helper()
	dir := os.Getenv("YAAP_OLLAMA")
	if dir == "" {
		t.Skip("NOT RUN: it needs the server of Ollama; YAAP_OLLAMA=$(.ci/ollama/build) builds it")
	}
	home := t.TempDir()
	cmd := exec.CommandContext(t.Context(), filepath.Join(dir, "ollama"), "serve") //nolint:gosec // the test's own
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "OLLAMA_MODELS=" + filepath.Join(home, "models"),
		"OLLAMA_HOST=127.0.0.1:0", "OLLAMA_NO_CLOUD=1",
		// Once in a hundred times the server does not notice that an answer was broken off,
		// and a model that answers one question at a time answers none from then on.
		"OLLAMA_NUM_PARALLEL=8",
	}
	group := processes.NewGroup(cmd) // a server that is killed leaves those that run its models
	logged, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := group.Start(); err != nil {
		t.Fatal(err)
	}
	address, printed, read := make(chan string, 1), new(bytes.Buffer), make(chan struct{})
	go func() {
		defer close(read)
		defer close(address)
		listening := regexp.MustCompile(`Listening on (\S+)`)
		for lines := bufio.NewScanner(logged); lines.Scan(); {
			if found := listening.FindStringSubmatch(lines.Text()); found != nil {
				address <- found[1]
			}
			printed.WriteString(lines.Text() + "\n")
		}
	}()
	t.Cleanup(func() { // its context has ended
		<-read
		_ = cmd.Wait() // it was killed
		if t.Failed() {
			t.Logf("the server printed:\n%s", printed)
		}
	})
	return &Real{URL: "http://" + <-address, Reads: Reads, t: t, kill: cmd.Cancel}
}

// Model makes a model that gives the first reply, whatever it is asked; the second to a
// question with which it got tools, and the third to the results of tools, where there
// are that many. After a text that ends with [webtest.EndHang] or [webtest.EndCut], or was cut off, the
// model writes random letters, after one that ends with [webtest.EndQuiet] its last word for ever.
func (r *Real) Model(replies ...Reply) string {
	r.t.Helper()
	w := newWeights()
	// One thread: on a busy machine several wait for each other for ever.
	parameters := map[string]any{"num_thread": 1, "num_ctx": r.Reads, "top_k": 0, "top_p": 1, "seed": 1}
	thinks := false
	for i, reply := range replies {
		if reply.Status != 0 || reply.Error != "" || reply.Raw != "" || reply.Prompt+reply.Completion > 0 {
			r.t.Fatalf("ollamatest: no model makes the server answer %+v", reply)
		}
		n := w.learn(strconv.Itoa(i), reply)
		if reply.Reason == "length" {
			parameters["num_predict"] = n
		}
		thinks = thinks || reply.Thinking != ""
	}
	return r.create(w.file(r.Reads, false), template(len(replies), thinks), parameters)
}

// Embedder makes a model that makes vectors of texts: near to each other where two have
// the same letters.
func (r *Real) Embedder() string {
	r.t.Helper()
	return r.create(newWeights().file(r.Reads, true), "{{ .Prompt }}", map[string]any{"num_thread": 1})
}

func (r *Real) create(file []byte, template string, parameters map[string]any) (name string) {
	r.t.Helper()
	if len(file) > 1<<20 {
		r.t.Errorf("ollamatest: a model of %d bytes", len(file))
	}
	digest := fmt.Sprintf("sha256:%x", sha256.Sum256(file))
	r.post("/api/blobs/"+digest, file)
	r.models++
	name = fmt.Sprintf("scripted:%d", r.models)
	body, err := json.Marshal(map[string]any{
		"model": name, "files": map[string]string{"scripted.gguf": digest},
		"template": template, "parameters": parameters, "stream": false,
	})
	if err != nil {
		r.t.Fatal(err)
	}
	r.post("/api/create", body)
	return name
}

func (r *Real) post(path string, body []byte) {
	r.t.Helper()
	resp, err := http.Post(r.URL+path, "", bytes.NewReader(body)) //nolint:noctx // the server ends with the test
	if err != nil {
		r.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if text, err := io.ReadAll(resp.Body); err != nil || resp.StatusCode >= 300 {
		r.t.Fatalf("%s: %s %s %v", path, resp.Status, text, err)
	}
}

// template renders a conversation as the models of the kind qwen3 have it, and begins
// the answer.
func template(replies int, thinks bool) string {
	thoughts, resume := "", ""
	if thinks {
		thoughts = "{{ if .Thinking }}" + openTag + "{{ .Thinking }}{{ $thought = true }}" + closeTag + "{{ end }}"
		resume = `{{ if and $thought (eq $role "assistant") }}+{{ end }}`
	}
	choice := map[int]string{
		1: "0",
		2: `{{ if .Tools }}1{{ else }}0{{ end }}`,
		3: `{{ if eq $role "tool" }}2{{ else if .Tools }}1{{ else }}0{{ end }}`,
	}[replies]
	return `{{ $role := "" }}{{ $thought := false }}
{{- if .System }}<|im_start|>system
{{ .System }}{{ if .Tools }}

{{ .Tools }}{{ end }}<|im_end|>
{{ end }}
{{- range .Messages }}{{ $role = .Role }}{{ $thought = false }}<|im_start|>{{ .Role }}
` + thoughts + `{{ .Content }}
{{- if .ToolCalls }}{{ range .ToolCalls }}<tool_call>
{"name": "{{ .Function.Name }}", "arguments": {{ .Function.Arguments }}}
</tool_call>{{ end }}{{ end }}<|im_end|>
{{ end }}<|im_start|>assistant
` + begin(choice+resume)
}

// Client returns a client for the server, and how many questions it has asked. With cut,
// the connection is lost after some words of each answer.
func (r *Real) Client(t testing.TB, cut bool) (*http.Client, func() int) {
	d := &door{cut: cut}
	t.Cleanup(d.transport.CloseIdleConnections)
	return &http.Client{Transport: d}, func() int { return int(d.asked.Load()) }
}

type door struct {
	transport http.Transport
	cut       bool
	asked     atomic.Int32
}

// RoundTrip implements [http.RoundTripper].
func (d *door) RoundTrip(r *http.Request) (*http.Response, error) {
	question := strings.Contains(r.URL.Path, "/chat")
	if question {
		d.asked.Add(1)
	}
	resp, err := d.transport.RoundTrip(r)
	if err == nil && question && d.cut {
		resp.Body = &lost{resp.Body, 500}
	}
	return resp, err
}

// lost is a body whose connection is lost after so many bytes.
type lost struct {
	io.ReadCloser
	left int
}

func (l *lost) Read(p []byte) (int, error) {
	if l.left == 0 {
		return 0, io.ErrUnexpectedEOF
	}
	n, err := l.ReadCloser.Read(p[:min(len(p), l.left)])
	l.left -= n
	return n, err
}
