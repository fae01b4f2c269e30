package room

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/config"
	"github.com/yaap-chat/yaap/core/memory"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/store"
	"github.com/yaap-chat/yaap/core/store/storetest"
)

// shelfOf returns a memory with one entry, #1.
func shelfOf(t *testing.T) memoryAccess {
	t.Helper()
	s := storetest.Open(t, t.TempDir(), store.Open)
	must.Do(t, s.Put(t.Context(), append(storetest.Recall("m"), core.Memory{ID: "n", Vault: "v", Title: "n"}, storetest.Note("m", "e", "it is blue"))...))
	return memoryAccess{store: maskedStore{Store: s}, memory: core.Memory{ID: "m", Title: "about-m"}}
}

func TestWhatDoesNotFitInAMemoryIsRefusedAndNothingIsLost(t *testing.T) {
	s := shelfOf(t)
	elsewhere := s
	elsewhere.memory = core.Memory{ID: "n", Title: "n"}
	before := must.Get(s.showEntry(t.Context(), "1"))(t)
	for name, c := range map[string]struct {
		do   func() (string, error)
		code core.Code
	}{
		"a correction of 9001 characters": {func() (string, error) { return s.correct(t.Context(), "1", strings.Repeat("é", 9001), "") }, core.CodeInvalid},
		"an empty correction":             {func() (string, error) { return s.correct(t.Context(), "1", " \n", "") }, core.CodeInvalid},
		"a correction with a NUL":         {func() (string, error) { return s.correct(t.Context(), "1", "a\x00b", "") }, core.CodeInvalid},
		"invalid UTF-8":                   {func() (string, error) { return s.correct(t.Context(), "1", "a\xffb", "") }, core.CodeInvalid},
		"an endless reason":               {func() (string, error) { return s.correct(t.Context(), "1", "it is red", strings.Repeat("x", 1<<20)) }, core.CodeInvalid},
		"a correction of nothing":         {func() (string, error) { return s.correct(t.Context(), "2", "it is red", "") }, core.CodeNotFound},
		"a correction from elsewhere":     {func() (string, error) { return elsewhere.correct(t.Context(), "1", "it is red", "") }, core.CodeNotFound},
		"a tag of 1 MB": {func() (string, error) {
			return s.tag(t.Context(), "1", []string{"a=b", "k=" + strings.Repeat("v", 1<<20)})
		}, core.CodeInvalid},
		"a tag with a long name":    {func() (string, error) { return s.tag(t.Context(), "1", []string{strings.Repeat("k", 1<<20) + "=v"}) }, core.CodeInvalid},
		"a tag with a NUL":          {func() (string, error) { return s.tag(t.Context(), "1", []string{"a=b", "k=\x00"}) }, core.CodeInvalid},
		"a tag of invalid UTF-8":    {func() (string, error) { return s.tag(t.Context(), "1", []string{"\xff=v"}) }, core.CodeInvalid},
		"a tag without a name":      {func() (string, error) { return s.tag(t.Context(), "1", []string{"a=b", "=v"}) }, core.CodeInvalid},
		"an end that is no time":    {func() (string, error) { return s.expire(t.Context(), "1", strings.Repeat("9", 1<<20)+"d") }, core.CodeInvalid},
		"an end in no time":         {func() (string, error) { return s.expire(t.Context(), "1", "") }, core.CodeInvalid},
		"an end in the past":        {func() (string, error) { return s.expire(t.Context(), "1", "-5h") }, core.CodeInvalid},
		"forgetting nothing":        {func() (string, error) { return s.forget(t.Context(), core.ForgetQuery{Entry: "nowhere"}) }, core.CodeNotFound},
		"forgetting from elsewhere": {func() (string, error) { return elsewhere.forget(t.Context(), core.ForgetQuery{Entry: "1"}) }, core.CodeNotFound},
	} {
		_, err := c.do()
		if core.CodeOf(err) != c.code || core.HintOf(err) == "" || len(fmt.Sprint(err)) > 300 {
			t.Errorf("%s: %.300v, want %s with a hint", name, err, c.code)
		}
	}
	if after, err := s.showEntry(t.Context(), "1"); err != nil || after != before {
		t.Errorf("%v, the entry is\n%s\nwant\n%s", err, after, before)
	}
}

func TestWhatWaitsForItsEntryIsTold(t *testing.T) {
	s := shelfOf(t)
	must.Do(t, s.store.Put(t.Context(), core.Thread{ID: "t"}, core.Recording{Thread: "t", Memory: "m"}, storetest.Say("t", "", "said")))
	if text, err := s.show(t.Context(), 10, false); err != nil || !strings.Contains(text, "1 message waits") {
		t.Errorf("%v:\n%s", err, text)
	}
}

func TestWhatHasExpiredIsForgottenByItsPlace(t *testing.T) {
	s := shelfOf(t)
	over := storetest.Note("m", "over", "our boiler is a Zanzibarix")
	over.Expires = time.Now().Add(-time.Hour)
	must.Do(t, s.store.Put(t.Context(), over))
	if _, err := s.showEntry(t.Context(), "#2"); core.CodeOf(err) != core.CodeNotFound || !strings.Contains(core.HintOf(err), "forget #2") {
		t.Errorf("showing it: %v, hint %q", err, core.HintOf(err))
	}
	if said, err := s.forget(t.Context(), core.ForgetQuery{Entry: "#2"}); err != nil || !strings.Contains(said, "of 1 entry") {
		t.Errorf("forgetting it: %q, %v", said, err)
	}
}

func TestTheEndOfAnEntryIsReadAsPeopleWriteIt(t *testing.T) {
	now := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	for text, want := range map[string]time.Time{
		"never": {}, "90m": now.Add(90 * time.Minute), "12h": now.Add(12 * time.Hour), "30d": now.AddDate(0, 0, 30), "2w": now.AddDate(0, 0, 14), "36500w": now.AddDate(0, 0, 7*36500),
		"2026-12-24": time.Date(2026, 12, 24, 0, 0, 0, 0, time.UTC), "2026-12-24 18:30": time.Date(2026, 12, 24, 18, 30, 0, 0, time.UTC),
		"2026-12-24T18:30:00+01:00": time.Date(2026, 12, 24, 17, 30, 0, 0, time.UTC),
	} {
		if got, err := parseEnd(text, now); err != nil || !got.Equal(want) {
			t.Errorf("%s is %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "d", "0d", "-3d", "1e9d", "36501d", "soon", "2026-02-30", "2020-01-01", "0s", "Never"} {
		if got, err := parseEnd(text, now); core.CodeOf(err) != core.CodeInvalid || core.HintOf(err) == "" {
			t.Errorf("%q is %v, %v; want it refused", text, got, err)
		}
	}
}

func TestTheMemoryIsCorrectedAndRedactedInTheChat(t *testing.T) {
	s := shelfOf(t)
	b := &Window{Room: &Room{store: s.store, memory: &recording{
		Recorder: memory.NewRecorder(memory.Config{Store: s.store, Memory: s.memory}), memory: s.memory,
		meaning: newSemanticSearch(s.store, s.memory.ID, config.Config{}, func() string { return "offline" }, os.Getenv, nil),
	}}}
	said := core.MessageRow{Thread: "t", Message: core.Message{ID: "said", Role: core.RoleUser, Text: "it is blue"}}
	must.Do(t, s.store.Put(t.Context(), core.Thread{ID: "t"}, said))
	for _, c := range []struct{ line, want string }{
		{"show", "searches go by words"},
		{"show", "user: summary of e"},
		{"correct 1 it is green --reason it was painted", "#2 corrects #1"},
		{"show 2", "because: it was painted"},
		{"show #2", "it is green\n"},
		{"search blue", "**blue** (corrected by #2 of "},
		{"tag 1 room=cellar", "#1 has the tags room=cellar."},
		{"tag 1 ghp_abcdefghijklmnopqrstuvwxyz0123456789=mine", "#1 has the tags [secret: github_token]=mine, room=cellar."},
		{"expire 1 30d", "are remembered until"},
		{"list", "default/about-m here"},
		{"redact 1", "those of 2 entries"},
		{"show 1", "(redacted 2"},
		{"show", "user: (redacted)"},
		{"forget 2", "those of 0 entries"},
		{"stats", "2 redacted"},
		{"forget --of t", "of 1 message "},
		{"off", "`/memory on`"},
		{"on", "is remembered"},
	} {
		out, err := b.Do(t.Context(), "", append([]string{"memory"}, strings.Fields(c.line)...))
		if err != nil || !strings.Contains(words(out), c.want) {
			t.Errorf("/memory %s: %q, %v; want %q in it", c.line, words(out), err, c.want)
		}
	}
	if out, err := b.Do(t.Context(), "", []string{"memory", "list"}); err != nil || len(out.Parts[0].Rows[0]) != 2 || len(out.Parts[0].Head) != 2 {
		t.Errorf("/memory list: %v, %v; want no ids in it: a row of the chat is too short for them", out, err)
	}
	for line, want := range map[string]string{
		"nonsense": "/memory correct, /memory tag", "correct 1": "takes ENTRY TEXT", "tag 1": "takes ENTRY KEY=VALUE", "forget": "a conversation with --of",
		"forget --from t": "knows no --from", "show 1 2": "takes [ENTRY]", "search": "takes WORDS",
	} {
		_, err := b.Do(t.Context(), "", append([]string{"memory"}, strings.Fields(line)...))
		if core.CodeOf(err) != core.CodeInvalid || !strings.Contains(err.Error()+core.HintOf(err), want) {
			t.Errorf("/memory %s: %v, want it refused with %q", line, err, want)
		}
	}
}

func TestTheAgentIsToldWhetherAnythingIsRemembered(t *testing.T) {
	r := &recording{Recorder: memory.NewRecorder(memory.Config{})}
	tool := r.SearchTool()
	for _, off := range []bool{false, true, false} {
		r.off.Store(off)
		if says := strings.HasSuffix(tool.Spec().Description, memory.Kept); says == off {
			t.Errorf("with the memory off (%v) the tool says so: %v", off, !says)
		}
	}
}

func TestACorrectionIsInTheContextAtOnceAndIsForgottenWithIt(t *testing.T) {
	s := shelfOf(t)
	doc := core.ContextDoc{ID: "before", Memory: "m", Upto: 1, Content: "## Facts\n- It is blue.\n- The cat is called Tibbles."}
	must.Do(t, s.store.Put(t.Context(), doc, storetest.Note("m", "f", "our boiler is a Zanzibarix")))
	newest := func() string {
		docs := must.Get(s.store.Contexts(t.Context(), "m", 1))(t)
		if len(docs) == 0 {
			return ""
		}
		return docs[0].Content
	}
	must.Get(s.correct(t.Context(), "2", "our boiler is a Bosch", ""))(t)
	if got := newest(); got != doc.Content {
		t.Errorf("the context did not know what is corrected, and became\n%s", got)
	}
	doc = core.ContextDoc{ID: "later", Memory: "m", Upto: 3, Content: "## Facts\n- our boiler is a Bosch\n- The cat is called Tibbles."}
	must.Do(t, s.store.Put(t.Context(), doc))
	must.Get(s.correct(t.Context(), "2", "our boiler is a Worcester", ""))(t)
	if got := newest(); strings.Contains(got, "Bosch") || !strings.Contains(got, "boiler is a Worcester") || !strings.Contains(got, "Tibbles") {
		t.Errorf("the context is\n%s", got)
	}
	must.Get(s.forget(t.Context(), core.ForgetQuery{Entry: "2"}))(t)
	if got := newest(); strings.Contains(got, "Worcester") {
		t.Errorf("after it is forgotten the context is\n%s", got)
	}
}
