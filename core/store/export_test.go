package store

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/store/storetest"
)

func export(t *testing.T, s *Store, memories ...string) string {
	t.Helper()
	var b strings.Builder
	for line, err := range s.Export(t.Context(), memories...) {
		must.Do(t, err)
		b.WriteString(line + "\n")
	}
	return b.String()
}

func imported(t *testing.T, s *Store, file, into string) Imported {
	t.Helper()
	much := must.Get(s.Import(t.Context(), strings.NewReader(file), into, nil))(t)
	return much
}

// full returns a store with two memories and everything that can be exported.
func full(t *testing.T) *Store {
	s := remembering(t)
	rich := storetest.Note("m", "rich", "0 < 1 & \u2028 ✓ \x1b[31m \u0085 words")
	rich.Thread, rich.Message, rich.Part, rich.Role = "a", "msg", 2, core.RoleAssistant
	rich.Tags, rich.Expires = map[string]string{"k": "v & w", "gone": "x"}, time.Now().Add(time.Hour).UTC().Truncate(time.Microsecond)
	fix := storetest.Note("m", "fix", "better words")
	fix.Corrects, fix.Reason = "rich", "it was wrong"
	gone := storetest.Note("m", "expired", "old words")
	gone.Expires = storetest.At(1)
	mustPut(t, s, core.Memory{ID: "n", Vault: "v", Title: "n", Kind: "chat", Created: storetest.At(3)}, rich, fix, gone,
		storetest.Note("m", "forgotten", "hidden words"), storetest.Note("n", "other", "words of the other"),
		core.Tag{Entry: "rich", Key: "gone", Time: storetest.At(4)}, core.Tag{Entry: "rich", Key: "new", Value: "1", Time: storetest.At(5)},
		core.Expiry{Entry: "fix", Time: storetest.At(4)})
	must.Do(t, forgotten(t, s, core.ForgetQuery{Entry: "forgotten"}))
	e := must.Get(s.Entry(t.Context(), "fix"))(t)
	mustPut(t, s,
		core.ContextDoc{ID: "c1", Memory: "m", Upto: e.Seq - 1, Content: "# one", Created: storetest.At(6)},
		core.ContextDoc{ID: "c2", Memory: "m", Upto: e.Seq, Content: "# two", Created: storetest.At(7)})
	return s
}

func remembered(t *testing.T, s *Store, memory string) (entries []core.Entry, contexts []core.ContextDoc) {
	t.Helper()
	entries, err := s.Entries(t.Context(), memory, core.EntryQuery{Limit: 50, IncludeExpired: true})
	must.Do(t, err)
	contexts, err = s.Contexts(t.Context(), memory, 0)
	must.Do(t, err)
	return entries, contexts
}

func TestAMemoryIsCarriedToAnotherDatabase(t *testing.T) {
	from := full(t)
	file := export(t, from)
	for _, word := range []string{"hidden", "old words"} {
		if strings.Contains(file, word) {
			t.Errorf("%q is exported:\n%s", word, file)
		}
	}
	to := openIn(t, t.TempDir())
	must.Equal(t, Imported{Memories: 2, Entries: 3, Contexts: 2}, imported(t, to, file, ""))
	for _, memory := range []string{"m", "n"} {
		want, docs := remembered(t, from, memory)
		got, gotDocs := remembered(t, to, memory)
		if memory == "m" {
			want = want[2:] // the others have expired or were forgotten
		}
		if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(core.Entry{}, "Seq")); diff != "" {
			t.Errorf("%s (-want +got)\n%s", memory, diff)
		}
		if diff := cmp.Diff(docs, gotDocs, cmpopts.IgnoreFields(core.ContextDoc{}, "Seq", "Upto")); diff != "" {
			t.Errorf("%s (-want +got)\n%s", memory, diff)
		}
		if memory == "m" && (gotDocs[0].Upto != got[0].Seq || gotDocs[1].Upto != got[1].Seq) {
			t.Errorf("the contexts reach up to %d and %d, the entries are at %d and %d", gotDocs[0].Upto, gotDocs[1].Upto, got[0].Seq, got[1].Seq)
		}
	}
	if got := search(t, to, core.SearchQuery{Text: "better"}); got != "fix rich" && got != "fix" {
		t.Errorf("found %q", got)
	}
	if diff := cmp.Diff(file, export(t, to)); diff != "" {
		t.Errorf("what is exported there is something else (-want +got)\n%s", diff)
	}
	if file := export(t, from, "n"); strings.Contains(file, "better") || !strings.Contains(file, "words of the other") {
		t.Errorf("the export of one memory is\n%s", file)
	}
	for _, err := range from.Export(t.Context(), "nowhere") {
		if core.CodeOf(err) != core.CodeNotFound {
			t.Errorf("an unknown memory: %v, want %s", err, core.CodeNotFound)
		}
	}
}

func TestImportingAgainChangesNothing(t *testing.T) {
	s := full(t)
	file := export(t, s)
	mustPut(t, s, core.Tag{Entry: "rich", Key: "new", Value: "2", Time: storetest.At(9)})
	before, docs := remembered(t, s, "m")
	for range 2 {
		must.Equal(t, Imported{Known: 5}, imported(t, s, file, ""))
	}
	after, docsAfter := remembered(t, s, "m")
	must.Equal(t, before, after)
	must.Equal(t, docs, docsAfter)
}

func TestWhatWasForgottenIsNotImported(t *testing.T) {
	for _, entry := range []string{"rich", "fix"} {
		s := full(t)
		dir := s.path[:len(s.path)-len(File)-1]
		file := export(t, s)
		must.Do(t, forgotten(t, s, core.ForgetQuery{Entry: entry}))
		later := strings.Replace(file, `{"t":"context"`, `{"t":"entry","entry_id":"later","memory_id":"m","role":"user","raw_entry":"better words again","corrects":"fix"}
{"t":"entry","entry_id":"part","memory_id":"m","role":"user","raw_entry":"words of that message","message":"msg","part":9}
{"t":"context","context_id":"c3","memory_id":"m","content":"better words","created":"`+time.Now().Add(time.Hour).Format(time.RFC3339)+`"}
{"t":"context"`, 1)
		lines := strings.Count(file, "\n")
		later = strings.Replace(later, fmt.Sprintf(`"lines":%d`, lines-1), fmt.Sprintf(`"lines":%d`, lines+2), 1)
		much := imported(t, s, later, "")
		must.Equal(t, Imported{Known: 1, Forgotten: 7}, much)
		for _, word := range []string{"better", "it was wrong", "# one", "words of that"} {
			if found := whereIs(t, dir, word); len(found) > 0 {
				t.Errorf("%q is in %v", word, found)
			}
		}
	}
}

func TestAnImportGoesIntoTheMemoryThatIsNamed(t *testing.T) {
	from := full(t)
	one := export(t, from, "m")
	to := openIn(t, t.TempDir())
	mustPut(t, to, core.Vault{ID: "x", Title: "default"}, core.Memory{ID: "y", Vault: "x", Title: "here"}, core.Memory{ID: "z", Vault: "x", Title: "about-m"})
	if much := imported(t, to, one, "y"); much.Entries != 2 || much.Memories != 0 {
		t.Errorf("%+v", much)
	}
	if entries, _ := remembered(t, to, "y"); len(entries) != 2 {
		t.Errorf("%d entries", len(entries))
	}
	if _, err := to.Import(t.Context(), strings.NewReader(export(t, from)), "y", nil); core.CodeOf(err) != core.CodeInvalid || core.HintOf(err) == "" {
		t.Errorf("two memories into one: %v", err)
	}
	if _, err := to.Import(t.Context(), strings.NewReader(one), "nowhere", nil); core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("into an unknown memory: %v", err)
	}
	titles := openIn(t, t.TempDir()) // the same titles there have other ids
	mustPut(t, titles, core.Vault{ID: "x", Title: "default"}, core.Memory{ID: "z", Vault: "x", Title: "about-m"})
	if much := imported(t, titles, one, ""); much.Memories != 0 {
		t.Errorf("%+v", much)
	}
	if entries, _ := remembered(t, titles, "z"); len(entries) != 2 {
		t.Errorf("%d entries", len(entries))
	}
}

func TestAnOlderContextDoesNotReplaceANewerOne(t *testing.T) {
	file := export(t, full(t), "m")
	to := openIn(t, t.TempDir())
	mustPut(t, to, append(storetest.Recall("m"), core.ContextDoc{ID: "newer", Memory: "m", Content: "# newer", Created: storetest.At(8)})...)
	imported(t, to, file, "")
	if _, docs := remembered(t, to, "m"); docs[0].ID != "newer" {
		t.Errorf("the context is %+v", docs[0])
	}
}

func TestATagFromTheFutureDoesNotStayForEver(t *testing.T) {
	s := openIn(t, t.TempDir())
	file := strings.Replace(export(t, full(t), "m"), storetest.At(5).Format(time.RFC3339), "9999-01-01T00:00:00Z", 1)
	imported(t, s, file, "")
	mustPut(t, s, core.Tag{Entry: "rich", Key: "new", Value: "mine", Time: time.Now()})
	if e, err := s.Entry(t.Context(), "rich"); err != nil || e.Tags["new"] != "mine" {
		t.Errorf("the tags are %v, %v", e.Tags, err)
	}
}

func TestATextThatIsLongerWithoutItsSecretsIsCutAndNotRefused(t *testing.T) {
	from, to := remembering(t), remembering(t)
	note := storetest.Note("m", "long", strings.Repeat("x", core.MaxRaw-3)+"key")
	mustPut(t, from, note)
	hide := func(text string) string { return strings.ReplaceAll(text, "key", "[secret: key]") }
	must.Get(to.Import(t.Context(), strings.NewReader(export(t, from)), "", hide))(t)
	got := must.Get(to.Entry(t.Context(), "long"))(t)
	if want := strings.Repeat("x", core.MaxRaw-3) + "[se"; got.Raw != want {
		t.Errorf("it ends with %q, %d characters long", got.Raw[len(got.Raw)-10:], len(got.Raw))
	}
}

func TestADamagedExportIsRefusedWithItsLine(t *testing.T) {
	whole := export(t, full(t))
	lines := strings.Split(strings.TrimSuffix(whole, "\n"), "\n")
	with := func(n int, line string) string {
		some := append([]string{}, lines...)
		some[n-1] = line
		return strings.Join(some, "\n")
	}
	last := len(lines)
	entry := `{"t":"entry","entry_id":"bad","memory_id":"m","role":"user","raw_entry":"%s"}`
	for name, c := range map[string]struct {
		file string
		line int
	}{
		"nothing":                   {"", 1},
		"another file":              {"hello\n", 1},
		"no header":                 {strings.Join(lines[1:], "\n"), 1},
		"a list":                    {with(2, "[]"), 2},
		"an empty line":             {with(3, ""), 3},
		"half a line":               {with(4, lines[3][:len(lines[3])/2]), 4},
		"the end is missing":        {strings.Join(lines[:last-1], "\n"), last},
		"a line is missing":         {strings.Join(append(append([]string{}, lines[:4]...), lines[5:]...), "\n"), last - 1},
		"more after the end":        {whole + lines[1], last + 1},
		"an unknown kind":           {with(4, `{"t":"spell"}`), 4},
		"a number for a text":       {with(4, `{"t":"entry","entry_id":7}`), 4},
		"a bad time":                {with(4, `{"t":"entry","created":"yesterday"}`), 4},
		"an endless line":           {with(4, `{"t":"`+strings.Repeat("x", 2<<20)+`"}`), 4},
		"invalid UTF-8":             {with(4, fmt.Sprintf(entry, "a\xff")), 4},
		"a NUL":                     {with(4, fmt.Sprintf(entry, `a\u0000`)), 4},
		"9001 characters":           {with(4, fmt.Sprintf(entry, strings.Repeat("x", 9001))), 4},
		"no words":                  {with(4, fmt.Sprintf(entry, "")), 4},
		"a tag of 100 kB":           {with(5, `{"t":"tag","entry_id":"rich","key":"k","value":"`+strings.Repeat("x", 100_000)+`"}`), 5},
		"a tag of another entry":    {with(5, `{"t":"tag","entry_id":"other","key":"k","value":"v"}`), 5},
		"an expiry of no entry":     {with(5, `{"t":"expiry"}`), 5},
		"an entry of no memory":     {with(4, `{"t":"entry","entry_id":"bad","memory_id":"nowhere","role":"user","raw_entry":"x"}`), 4},
		"a memory of no vault":      {with(3, `{"t":"memory","memory_id":"m","vault_id":"nowhere","title":"x"}`), 3},
		"a context of no memory":    {with(4, `{"t":"context","context_id":"c","memory_id":"nowhere","content":"x"}`), 4},
		"a context without words":   {with(4, `{"t":"context","context_id":"c","memory_id":"m","content":" "}`), 4},
		"a title against the rule":  {with(2, `{"t":"vault","vault_id":"v","title":"a b"}`), 2},
		"a title with a line break": {with(3, `{"t":"memory","memory_id":"m","vault_id":"v","title":"a\n"}`), 3},
	} {
		t.Run(name, func(t *testing.T) {
			s := openIn(t, t.TempDir())
			mustPut(t, s, append(storetest.Recall("mine"), storetest.Note("mine", "mine", "words"))...)
			before := export(t, s)
			_, err := s.Import(t.Context(), strings.NewReader(c.file), "", nil)
			if core.CodeOf(err) != core.CodeInvalid || core.HintOf(err) == "" || !strings.HasPrefix(fmt.Sprint(err), fmt.Sprintf("line %d of the export is damaged: ", c.line)) || len(fmt.Sprint(err)) > 500 {
				t.Errorf("got %.500v, want line %d named", err, c.line)
			}
			if diff := cmp.Diff(before, export(t, s)); diff != "" {
				t.Errorf("something was imported (-want +got)\n%s", diff)
			}
			mustPut(t, s, storetest.Note("mine", "more", "words"))
		})
	}
	s := openIn(t, t.TempDir())
	if _, err := s.Import(t.Context(), strings.NewReader(with(1, `{"yaap_export":2}`)), "", nil); core.CodeOf(err) != core.CodeTooNew || core.HintOf(err) == "" {
		t.Errorf("a newer export: %v, want %s with a hint", err, core.CodeTooNew)
	}
}

func FuzzAnyFileIsImportedWholeOrNotAtAll(f *testing.F) {
	s := remembering(f)
	f.Add(`{"yaap_export":1}` + "\n" + `{"t":"vault","vault_id":"w","title":"w"}` + "\n" + `{"t":"end","lines":2}`)
	f.Fuzz(func(t *testing.T, file string) {
		if _, err := s.Import(t.Context(), strings.NewReader(file), "", nil); err != nil && core.HintOf(err) == "" {
			t.Errorf("%v has no hint", err)
		}
	})
}

func TestPartsOfWordsAreFoundWhereTheyWereImported(t *testing.T) {
	s, other := remembering(t), openIn(t, t.TempDir())
	mustPut(t, s, storetest.Note("m", "camel", "call getHeron"), storetest.Note("m", "tagged", "tea"),
		core.Tag{Entry: "tagged", Key: "topic", Value: "kestrel", Time: storetest.At(3)})
	imported(t, other, export(t, s), "")
	for query, want := range map[string]string{"heron": "camel", "kestrel": "tagged"} {
		if got := search(t, other, core.SearchQuery{Text: query}); got != want {
			t.Errorf("%s finds %q, want %q", query, got, want)
		}
	}
}
