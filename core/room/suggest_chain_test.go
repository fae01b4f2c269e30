package room

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/store"
)

// waiting is a room in whose store a chain asks, and another one is done.
func waiting(t *testing.T, dir string) *Window {
	t.Helper()
	s := must.Get(store.Open(t.Context(), t.TempDir()))(t)
	written := make(chan error, 1)
	go func() { written <- s.Run(context.WithoutCancel(t.Context())) }()
	t.Cleanup(func() { must.Report(t, errors.Join(s.Close(), <-written)) })
	must.Do(t, s.Put(t.Context(), core.Session{ID: "s", Dir: dir}, core.Thread{ID: "a", Session: "s"},
		core.RunRow{ID: waits, Thread: "a", Runner: "chain//home/ada/paint.yaml", State: core.RunInterrupted, Time: time.Unix(2, 0)},
		core.RunRow{ID: "01a222a2-0676-70c0-af06-d8a0b2fc5ee4", Thread: "a", Runner: "chain/triage", State: core.RunCompleted, Time: time.Unix(1, 0)},
		core.Pause{ID: waits + "#colour", Run: waits, Root: waits, Thread: "a", Kind: core.PauseClarification, Question: "Which colour?", Time: time.Unix(3, 0)}))
	w := &Window{Room: &Room{store: maskedStore{Store: s}, bus: new(maskedBus)}}
	w.Config.Dir = dir
	return w
}

const waits = "01a222a3-a0c5-7b02-9786-963fb478873d"

func TestWhatWaitsInAnotherConversationIsTold(t *testing.T) {
	for here, want := range map[string]string{"b": "paint.yaml waits for you: Which colour?", "a": ""} {
		w := waiting(t, "/home/ada")
		feed := w.Feed()
		must.Do(t, w.TellWaiting(t.Context(), here))
		told := ""
		for _, e := range feed.Pending() {
			told += e.Body.(core.Notice).Text
		}
		if told != want {
			t.Errorf("in %s it is told %q, want %q", here, told, want)
		}
	}
}

func TestChainsTheirRunsAndFilesToBeWrittenAreCompleted(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"paint.yaml", "my room.yml", "notes.md"} {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
	}
	w := waiting(t, dir)
	for before, want := range map[string][]string{
		"/chain run p":     {"/chain run paint.yaml |"},
		"/chain run 'my":   {"/chain run 'my room.yml' |"},
		"/chain check tri": {"/chain check triage |"},
		"/chain answer ":   {"/chain answer b478873d |paint.yaml asks: Which colour?"},
		"/chain answer x":  nil,
		"/chain cancel ":   {"/chain cancel b478873d |paint.yaml asks: Which colour?"},
		"/chain fork ":     {"/chain fork b478873d |paint.yaml asks: Which colour?", "/chain fork b2fc5ee4 |triage completed"},
		"/chain list ":     nil,
		"/help exp":        {"/help experts|"},
		"/export ":         {"/export conversation.md|Markdown", "/export conversation.html|a page for a browser", "/export conversation.jsonl|its events, as lines of JSON", "/export conversation.cast|a recording for a player of terminals"},
		"/export talk":     {"/export talk.md|Markdown", "/export talk.html|a page for a browser", "/export talk.jsonl|its events, as lines of JSON", "/export talk.cast|a recording for a player of terminals"},
		"/export talk.h":   {"/export talk.html|a page for a browser"},
		"/export talk.md":  nil,
	} {
		var got []string
		for _, s := range w.Suggest(t.Context(), before) {
			got = append(got, before[:s.At]+s.Insert+"|"+s.Help)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got)\n%s", before, diff)
		}
	}
	if text := runLines(must.Get(chainRuns(t.Context(), w.store.Store, 10))(t)); cmp.Diff(text, "- "+time.Unix(2, 0).Local().Format("02 Jan 15:04")+"  **paint.yaml** asks: Which colour?  `b478873d`\n"+
		"- "+time.Unix(1, 0).Local().Format("02 Jan 15:04")+"  **triage** completed  `b2fc5ee4`\n") != "" {
		t.Errorf("the runs are told as\n%s", text)
	}
}
