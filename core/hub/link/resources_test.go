package link_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/hub"
	"github.com/yaap-chat/yaap/core/hub/link"
	"github.com/yaap-chat/yaap/core/must"
)

// library lets things be read, and has a prompt ready.
func library() {
	said := map[string]string{
		"tools/list":               `{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}`,
		"resources/list":           `{"resources":[{"uri":"notes://1","name":"one","title":"The first","mimeType":"text/plain"}]}`,
		"resources/templates/list": `{"resourceTemplates":[{"uriTemplate":"notes://{n}","name":"any"}]}`,
		"prompts/list":             `{"prompts":[{"name":"ask","arguments":[{"name":"bird","required":true}]}]}`,
	}
	least := ""
	each(func(id json.RawMessage, method string, params json.RawMessage) {
		var p struct {
			URI       string            `json:"uri"`
			Arguments map[string]string `json:"arguments"`
		}
		_ = json.Unmarshal(params, &p)
		switch {
		case method == "logging/setLevel":
			least = string(params)
			respond(id, map[string]any{})
		case method == "resources/subscribe":
			respond(id, map[string]any{})
			for _, uri := range []string{"notes://other", p.URI, p.URI} {
				fmt.Printf(`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":%q}}`+"\n", uri)
			}
		case method == "tools/call" && strings.Contains(string(params), "links"):
			respond(id, json.RawMessage(`{"content":[{"type":"text","text":"See:"},{"type":"resource_link","name":"pond","uri":"notes://1"},{"type":"resource_link","name":"page","uri":"https://example.org/pond"},{"type":"resource_link","name":"lost","uri":"notes://lost"}]}`))
		case method == "resources/read" && p.URI == "notes://lost":
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32002,"message":"not found"}}`+"\n", id)
		case method == "tools/call" && strings.Contains(string(params), "crash"):
			fmt.Println(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"warning","data":{"message":"it is late"}}}`)
			os.Exit(3)
		case method == "tools/call":
			log(least)
			respond(id, text("logged"))
		case method == "completion/complete":
			respond(id, map[string]any{"completion": map[string]any{"values": []string{string(params)}}})
		case method == "resources/read" && p.URI == "notes://long":
			respond(id, map[string]any{"contents": []any{map[string]any{"uri": p.URI, "text": strings.Repeat("x", 300<<10)}}})
		case method == "resources/read":
			respond(id, map[string]any{"contents": []any{map[string]any{"uri": p.URI, "text": "herons"}}})
		case method == "prompts/get":
			respond(id, map[string]any{"messages": []any{
				map[string]any{"role": "user", "content": map[string]any{"type": "text", "text": "Tell me of " + p.Arguments["bird"]}},
				map[string]any{"role": "assistant", "content": map[string]any{"type": "text", "text": "Of course."}},
			}})
		default:
			respond(id, json.RawMessage(said[method]))
		}
	})
}

// log logs at three levels, and then without end; least is how it was asked to.
func log(least string) {
	for level, data := range map[string]string{"info": `"mild"`, "error": `{"message":"no space","disk":"full"}`, "warning": fmt.Sprintf("%q", least)} {
		fmt.Printf(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":%q,"logger":"store","data":%s}}`+"\n", level, data)
	}
	for range 2000 {
		fmt.Println(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"alert","data":"again"}}`)
	}
}

func TestWhatAnAnswerLinksToIsAFileWhereTheExpertHasIt(t *testing.T) {
	var kept []string
	r := openWith(t, &link.Opener{Version: "test", Lookup: os.LookupEnv, Keep: func(name, _ string, data []byte) (core.File, error) {
		kept = append(kept, name+" "+string(data))
		return core.File{Name: name, Path: "/files/" + name, Type: "text/plain", Size: len(data)}, nil
	}})
	r.add("", "library")
	r.joined("echo")
	got := r.call(t.Context(), "echo__t", "links")
	must.Equal(t, "See:\n[pond: notes://1]\n[a file: pond · 6 B]\n/files/pond\n[page: https://example.org/pond]\n[lost: notes://lost]", got.Text)
	if len(got.Files) != 1 || got.Files[0].Path != "/files/pond" || !slices.Equal(kept, []string{"pond herons"}) {
		t.Errorf("kept are %q, named %+v", kept, got.Files)
	}
}

func TestWhatAnExpertLogsIsReportedFromItsLevelOn(t *testing.T) {
	for level, want := range map[string][]string{
		"":      {"error store: no space {\"disk\":\"full\"}", "warning store: {\"level\":\"warning\"}"},
		"debug": {"error store: no space {\"disk\":\"full\"}", "info store: mild", "warning store: {\"level\":\"debug\"}"},
	} {
		var mu sync.Mutex
		var got []string
		again := 0
		r := openWith(t, &link.Opener{Version: "test", Lookup: os.LookupEnv, Log: func(b core.ExpertLogged) {
			mu.Lock()
			defer mu.Unlock()
			if b.Text == "again" {
				again++
				return
			}
			got = append(got, b.Level+" "+b.Text)
		}})
		must.Do(t, r.Add(t.Context(), hub.Spec{Name: "notes", Command: []string{os.Args[0], "child", "library"}, Log: level}))
		r.joined("notes")
		r.call(t.Context(), "notes__t", "x")
		mu.Lock()
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("from %q on (-want +got)\n%s", level, diff)
		}
		if again > 500 {
			t.Errorf("%d lines of a flood were reported", again)
		}
		mu.Unlock()
		if e := r.Experts()[0]; !slices.Contains(e.Stderr, "alert: again") {
			t.Errorf("it printed %q", e.Stderr)
		}
	}
}

func TestAWarningIsNotWhyAnExpertEnded(t *testing.T) {
	r := openWith(t, &link.Opener{Version: "test", Lookup: os.LookupEnv})
	r.add("", "library")
	r.joined("echo")
	r.call(t.Context(), "echo__t", "crash")
	if left := r.left("echo"); left.Detail != "exited with status 3" {
		t.Errorf("got %+v", left)
	}
	if e := r.Experts()[0]; !slices.Contains(e.Stderr, "warning: it is late") {
		t.Errorf("it printed %q", e.Stderr)
	}
}

func TestTheNextChangeOfAResourceThatIsWatchedIsTold(t *testing.T) {
	changed := make(chan string, 8)
	r := openWith(t, &link.Opener{Version: "test", Lookup: os.LookupEnv, Changed: func(expert, uri string) { changed <- expert + " " + uri }})
	r.add("notes", "library")
	r.joined("notes")
	l := must.Get(r.ResourceProvider("notes"))(t)
	for range 2 { // watched anew, it is told anew
		must.Do(t, l.Watch(t.Context(), "notes://1"))
		must.Equal(t, "notes notes://1", <-changed)
		r.call(t.Context(), "notes__t", "x") // what came before its answer is read
	}
	if len(changed) > 0 {
		t.Errorf("told also %q", <-changed)
	}
}

func TestAnExpertSaysWhatAnArgumentMayBe(t *testing.T) {
	r := open(t)
	r.add("notes", "library")
	r.joined("notes")
	l := must.Get(r.ResourceProvider("notes"))(t)
	for want, c := range map[string]core.Completing{
		`{"ref":{"type":"ref/prompt","name":"ask"},"argument":{"name":"bird","value":"he"},"context":{"arguments":{"where":"lake"}}}`: {
			Prompt: "ask", Arg: "bird", Typed: "he", Known: map[string]string{"where": "lake"},
		},
		`{"ref":{"type":"ref/resource","uri":"notes://{n}"},"argument":{"name":"n","value":"4"},"context":{}}`: {Template: "notes://{n}", Arg: "n", Typed: "4"},
	} {
		got, err := l.Complete(t.Context(), c)
		if err != nil || len(got) != 1 || got[0] != want {
			t.Errorf("it is asked %q, %v\nwant %s", got, err, want)
		}
	}
}

func TestWhatAnExpertLetsBeReadIsRead(t *testing.T) {
	r := open(t)
	must.Do(t, r.Add(t.Context(), hub.Spec{Name: "notes", Command: []string{os.Args[0], "child", "library"}}))
	r.joined("notes")
	l := must.Get(r.ResourceProvider("notes"))(t)
	resources, err := l.Resources(t.Context())
	want := []core.Resource{{URI: "notes://1", Name: "The first", Type: "text/plain"}, {URI: "notes://{n}", Name: "any", Template: true}}
	if diff := cmp.Diff(want, resources); diff != "" || err != nil {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
	if text, err := l.Read(t.Context(), "notes://1"); text != "herons" || err != nil {
		t.Errorf("reads %q, %v", text, err)
	}
	if text, err := l.Read(t.Context(), "notes://long"); !strings.HasSuffix(text, "[cut: these are 256 of 300 KB]") || err != nil {
		t.Errorf("%d bytes, %v", len(text), err)
	}
	prompts, err := l.Prompts(t.Context())
	if diff := cmp.Diff([]core.PromptSpec{{Name: "ask", Args: []core.PromptArg{{Name: "bird", Required: true}}}}, prompts); diff != "" || err != nil {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
	if text, err := l.Prompt(t.Context(), "ask", map[string]string{"bird": "herons"}); text != "Tell me of herons" || err != nil {
		t.Errorf("the prompt is %q, %v", text, err)
	}
	if _, err := r.ResourceProvider("nobody"); core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("got %v", err)
	}
}
