package store

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/store/storetest"
)

// remembering returns a store with the memory "m".
func remembering(t testing.TB) *Store {
	t.Helper()
	s := openIn(t, t.TempDir())
	mustPut(t, s, storetest.Recall("m")...)
	return s
}

// search returns the ids of what is found.
func search(t testing.TB, s *Store, q core.SearchQuery) string {
	t.Helper()
	found, err := s.Search(t.Context(), q)
	if err != nil {
		t.Fatalf("%+v: %v", q, err)
	}
	ids := make([]string, len(found))
	for i, f := range found {
		ids[i] = f.Entry.ID
	}
	return strings.Join(ids, " ")
}

func TestTheScoresOfWordsThatMostEntriesHaveCanBeRead(t *testing.T) {
	s := remembering(t)
	mustPut(t, s, storetest.Note("m", "one", "my boiler"), storetest.Note("m", "two", "the boiler and the other boiler"), storetest.Note("m", "three", "tea"))
	found, err := s.Search(t.Context(), core.SearchQuery{Text: "boiler"})
	if err != nil || len(found) != 2 || found[0].Entry.ID != "two" {
		t.Fatalf("found %+v, %v", found, err)
	}
	for _, f := range found {
		if f.Score < 0.1 || f.Score > 10 || f.Parts["bm25"] != f.Score {
			t.Errorf("the score of %s is %v, its parts are %v", f.Entry.ID, f.Score, f.Parts)
		}
	}
}

// note is an entry without a summary.
func note(memory, id, raw string) core.Entry {
	e := storetest.Note(memory, id, raw)
	e.Summary = ""
	return e
}

func TestSearchFindsEntriesByTheirWords(t *testing.T) {
	s := remembering(t)
	day := note("m", "dated", "nothing of note")
	day.Created = time.Date(2025, time.March, 4, 23, 30, 0, 0, time.FixedZone("there", 3600))
	accent := note("m", "accent", "the café on the corner")
	summed := note("m", "summed", "we will go with the first of them")
	summed.Summary = "decided on PostgreSQL as database"
	gone := note("m", "gone", "a migration that has expired")
	gone.Expires = storetest.At(2)
	mustPut(t, s, core.Memory{ID: "n", Vault: "v", Title: "n"},
		note("m", "migrate", "we migrated the billing service"),
		note("m", "twice", "the migration of the migration"),
		note("n", "elsewhere", "another migration"),
		note("m", "database", "the database is slow and far too big"),
		note("m", "tram", "die Straßenbahn"), note("m", "swiss", "ein Weissbrot"),
		day, accent, summed, gone)
	for _, c := range []struct {
		q    core.SearchQuery
		want string
	}{
		{core.SearchQuery{Text: "How are migrations done?", Memories: []string{"m"}}, "twice migrate"},
		{core.SearchQuery{Text: "migrating", Memories: []string{"n"}}, "elsewhere"},
		{core.SearchQuery{Text: "migrating", Memories: []string{"n", "m"}, Limit: 2}, "twice elsewhere"},
		{core.SearchQuery{Text: "BILLING"}, "migrate"},
		{core.SearchQuery{Text: "cafe"}, "accent"},
		{core.SearchQuery{Text: "CAFÉ!"}, "accent"},
		{core.SearchQuery{Text: "database"}, "summed database"}, // summaries count double
		{core.SearchQuery{Text: "what did I say on 4 March?"}, "dated"},
		{core.SearchQuery{Text: "on a Tuesday in March", Limit: 1}, "dated"},
		{core.SearchQuery{Text: "2025-03-04"}, "dated"},
		{core.SearchQuery{Text: "the"}, "database accent migrate twice summed"}, // better than nothing
		{core.SearchQuery{Text: "STRASSENBAHN"}, "tram"},
		{core.SearchQuery{Text: "Weißbrot"}, "swiss"},
		{core.SearchQuery{Text: "data*"}, "summed database"}, // the beginning of a word
		{core.SearchQuery{Text: "bil* corn*"}, "accent migrate"},
		{core.SearchQuery{Text: "data"}, ""},
		{core.SearchQuery{Text: "* da* m*"}, ""}, // too many words begin so
		{core.SearchQuery{Text: "m1"}, ""},
		{core.SearchQuery{Text: " ?! "}, ""},
		{core.SearchQuery{}, ""},
	} {
		got := search(t, s, c.q)
		if c.q.Text == "the" {
			got, c.want = fmt.Sprint(len(strings.Fields(got))), fmt.Sprint(len(strings.Fields(c.want)))
		}
		if got != c.want {
			t.Errorf("%+v: %q, want %q", c.q, got, c.want)
		}
	}
	if _, err := s.Search(t.Context(), core.SearchQuery{Text: "x", Memories: []string{"nowhere"}}); core.CodeOf(err) != core.CodeNotFound || core.HintOf(err) == "" {
		t.Errorf("an unknown memory: %v", err)
	}
	if _, err := s.Search(t.Context(), core.SearchQuery{Text: "x", Limit: 51}); core.CodeOf(err) != core.CodeInvalid || core.HintOf(err) == "" {
		t.Errorf("too many: %v", err)
	}
}

func TestAnAnswerIsFoundByItsQuestion(t *testing.T) {
	s := remembering(t)
	says := func(id, thread, raw string) core.Entry {
		e := storetest.Note("m", id, raw)
		e.Thread, e.Summary = thread, ""
		return e
	}
	mustPut(t, s,
		says("before", "a", "good morning"), says("question", "a", "which port does the proxy listen on?"),
		says("between", "b", "unrelated words of another conversation"), says("answer", "a", "8443"), says("after", "a", "thanks"),
		says("alone", "", "the proxy"), says("next", "", "no neighbour of it"))
	found := must.Get(s.Search(t.Context(), core.SearchQuery{Text: "port of the proxy", Memories: []string{"m"}}))(t)
	if got, want := search(t, s, core.SearchQuery{Text: "port of the proxy"}), "answer question alone before"; got != want {
		t.Fatalf("found %q, want %q", got, want)
	}
	for _, f := range found {
		if sum := f.Parts["bm25"] + f.Parts["near"] + f.Parts["question"]; math.Abs(f.Score-sum) > 1e-9 || f.Score <= 0 {
			t.Errorf("%s: the parts %v do not come to %v", f.Entry.ID, f.Parts, f.Score)
		}
	}
	if a, q := found[0], found[1]; q.Parts["near"] != 0 || q.Parts["question"] >= 0 || a.Parts["bm25"] != 0 || a.Match != "8443" {
		t.Errorf("question %+v, answer %+v", q, a)
	}
}

func TestWhatSomebodyLikesIsFoundByAskingForIt(t *testing.T) {
	s := remembering(t)
	mustPut(t, s, storetest.Note("m", "bird", "my favourite bird is the heron"),
		storetest.Note("m", "remember", "do you remember? I do remember, now I recall it"), storetest.Note("m", "tea", "my favourite tea is the green one"),
		storetest.Note("m", "birds", "the birds were loud this morning"))
	for _, question := range []string{"do you remember my favourite bird?", "Do you recall which bird is my favourite?"} {
		if got := search(t, s, core.SearchQuery{Text: question, Limit: 1}); got != "bird" {
			t.Errorf("%q finds %q", question, got)
		}
	}
}

func TestAMatchShowsWhereTheHitIs(t *testing.T) {
	s := remembering(t)
	long := storetest.Note("m", "long", strings.Repeat("much ado about nothing ", 50)+"the \x02running\x03 dog"+strings.Repeat(" and so on", 50))
	mustPut(t, s, long)
	found, err := s.Search(t.Context(), core.SearchQuery{Text: "dogs run", Memories: []string{"m"}})
	if err != nil || len(found) != 1 {
		t.Fatalf("%v, %v", found, err)
	}
	if got := found[0].Match; !strings.Contains(got, "the \x02running\x03 \x02dog\x03 and") || len(got) > 300 || strings.Count(got, "\x02") != 2 {
		t.Errorf("got %q", got)
	}
}

func TestAMatchShowsThePassageWithTheMostOfTheWords(t *testing.T) {
	s := remembering(t)
	filler := strings.Repeat("and then nothing ", 30)
	mustPut(t, s, storetest.Note("m", "long", "the port is not known "+filler+"so the Proxies listen on Port 8443 "+filler+"of no port"))
	found, err := s.Search(t.Context(), core.SearchQuery{Text: "which port does the proxy listen on", Memories: []string{"m"}})
	if err != nil || len(found) != 1 {
		t.Fatalf("%v, %v", found, err)
	}
	got := found[0].Match
	if !strings.Contains(got, "\x02Proxies\x03 \x02listen\x03 on \x02Port\x03 8443") || !strings.HasPrefix(got, "…") || !strings.HasSuffix(got, "…") {
		t.Errorf("got %q", got)
	}
}

func TestAnEntryThatHasExpiredStandsBesideNone(t *testing.T) {
	s := remembering(t)
	says := func(id, raw string) core.Entry {
		e := storetest.Note("m", id, raw)
		e.Thread, e.Summary = "a", ""
		return e
	}
	gone := says("gone", "hm zebra")
	gone.Expires = storetest.At(2)
	mustPut(t, s, says("question", "which port does the proxy listen on?"), gone, says("answer", "8443"))
	must.Equal(t, "answer question", search(t, s, core.SearchQuery{Text: "port of the proxy"}))
	must.Equal(t, "", search(t, s, core.SearchQuery{Text: "zebra"}))
}

func TestNoQuestionIsTakenForSyntax(t *testing.T) {
	s := remembering(t)
	mustPut(t, s, core.Memory{ID: "n", Vault: "v", Title: "n"},
		storetest.Note("m", "here", "alpha beta"), storetest.Note("n", "there", "alpha gamma"))
	for _, text := range []string{
		`"`, `""`, `alpha"`, `alpha AND NOT beta`, `alpha OR scope:m2`, `NEAR(alpha beta, 1)`, `{raw} : alpha`, `^alpha`, `alpha*`, `(`, `)`, `- alpha`,
		"alpha\x00beta", "alpha\xff", `raw:alpha`, `' OR 1=1 --`, `alpha") OR scope:("m2`, "\U000e0001", "a\u0301", "x\ufe0f", "\u0301", "\u0301-a \u0301*", "\u0301\u0301\u0301* ẞ-\u0301",
		strings.Repeat("alpha ", 100_000), strings.Repeat("a", 1<<20), strings.Repeat("(", 100_000),
	} {
		if got := search(t, s, core.SearchQuery{Text: text, Memories: []string{"m"}}); strings.Contains(got, "there") {
			t.Errorf("%.40q finds %q in another memory", text, got)
		}
	}
	var many strings.Builder
	for n := range 10_000 {
		fmt.Fprintf(&many, "word%d ", n)
	}
	search(t, s, core.SearchQuery{Text: many.String()})
}

func FuzzAnyTextCanBeSearchedFor(f *testing.F) {
	s := remembering(f)
	mustPut(f, s, storetest.Note("m", "here", "alpha beta"))
	f.Add(`alpha "AND`)
	f.Fuzz(func(t *testing.T, text string) { search(t, s, core.SearchQuery{Text: text, Memories: []string{"m"}}) })
}

func TestWhatIsWrittenWithoutSpacesIsFound(t *testing.T) {
	s := remembering(t)
	gone := note("m", "gone", "北京已经过期")
	gone.Expires = storetest.At(2)
	thread := note("m", "thread", "我们在北京见面")
	thread.Thread = "t"
	mustPut(t, s, core.Memory{ID: "n", Vault: "v", Title: "n"}, note("n", "elsewhere", "北京下雪了"), gone, thread,
		note("m", "city", "我最喜欢的城市是北京,我住在上海市浦东新区"), note("m", "cat", "我的猫叫咪咪。我用React写前端。"), note("m", "tower", "東京タワーに行きました"),
		note("m", "seoul", "저는 서울에 살아요"), note("m", "thai", "ฉันอยู่ที่กรุงเทพมหานคร"), note("m", "english", "the boiler is in the cellar"))
	for _, c := range []struct {
		q    core.SearchQuery
		want string
	}{
		{core.SearchQuery{Text: "北京", Memories: []string{"m"}}, "city thread"},
		{core.SearchQuery{Text: "北京", Memories: []string{"n"}}, "elsewhere"},
		{core.SearchQuery{Text: "我喜欢的城市是哪里?", Memories: []string{"m"}, Limit: 1}, "city"},
		{core.SearchQuery{Text: "猫"}, "cat"},
		{core.SearchQuery{Text: "タワー"}, "tower"},
		{core.SearchQuery{Text: "서울"}, "seoul"},
		{core.SearchQuery{Text: "กรุงเทพ"}, "thai"},
		{core.SearchQuery{Text: "浦东 boiler"}, "city english"},
		{core.SearchQuery{Text: "广州"}, ""},
	} {
		if got := search(t, s, c.q); got != c.want {
			t.Errorf("%+v finds %q, want %q", c.q, got, c.want)
		}
	}
	for hit, want := range map[string]string{
		"北京":    "我最喜欢的城市是\x02北京\x03,我用React写",
		"我":     "\x02我\x03最喜欢的城市是北京,\x02我\x03用React写",
		"rea*":  "…最喜欢的城市是北京,我用\x02React\x03写",
		"react": "…最喜欢的城市是北京,我用\x02React\x03写",
		"naive": "a \x02naïve\x03 heron",
	} {
		said := core.Entry{Raw: "我最喜欢的城市是北京,我用React写"}
		a := must.Get(understand(hit, time.Now()))(t)
		if hit == "naive" {
			said = core.Entry{Raw: "a naïve heron"}
		}
		if got := a.match(said); got != want {
			t.Errorf("%s is hit in %q, want %q", hit, got, want)
		}
	}
}
