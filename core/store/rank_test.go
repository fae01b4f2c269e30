package store

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/store/storetest"
)

// said is an entry of the memory m, as it is recorded without a model.
func said(id, raw string) core.Entry {
	e := storetest.Note("m", id, raw)
	e.Summary = raw
	return e
}

// chatter is what many others say, so that the words of an entry tell something.
func chatter(n int, words string) (rows []core.Row) {
	for i := range n {
		rows = append(rows, said(fmt.Sprint("chatter", i), fmt.Sprintf("%s number %d of the afternoon.", words, i)))
	}
	return rows
}

func TestWhatIsWrittenAsOneIsFoundWholeAndByItsParts(t *testing.T) {
	s := remembering(t)
	mustPut(t, s, chatter(30, "The meeting went on about people")...)
	tagged := said("tag", "we settled that")
	tagged.Tags = map[string]string{"topic": "Rechnung", "summary_by": "model"}
	mustPut(t, s,
		said("camel", "call getUserName before HTTPServer starts"), said("snake", "the retry_budget_ms is 250"),
		said("path", "see core/store/search.go:42 for it"), said("version", "we are on v1.12.3-rc1 since Monday"), said("other version", "it was 3.12.1 before"),
		said("code", "it fails with ERR_CONN_RESET again"), said("hex", "then it says 0x80070005"), said("ticket", "that is PROJ-1482"),
		said("glued", "我用React写前端"), said("mail", "write to ops@heron.example"), tagged)
	mustPut(t, s, core.Tag{Entry: "hex", Key: "area", Value: "printer-driver", Time: time.Now()})
	for query, want := range map[string]string{
		"getUserName": "camel", "getusername": "camel", "user name": "camel", "http server": "camel", "HTTPServer": "camel",
		"retry_budget_ms": "snake", "retry budget": "snake", "budget": "snake",
		"core/store/search.go": "path", "search.go": "path", "store/search": "path", "search.go:42": "path",
		"1.12.3": "version", "v1.12.3": "version", "1.12": "version", "3.12.1": "other version", "v1.12.3-rc1": "version",
		"ERR_CONN_RESET": "code", "conn reset": "code", "err_conn_reset": "code", "0x80070005": "hex", "PROJ-1482": "ticket", "1482": "ticket",
		"react": "glued", "React 前端": "glued", "前端": "glued", "ops@heron.example": "mail", "heron": "mail",
		"rechnung": "tag", "printer": "hex", "printer-driver": "hex",
	} {
		if got := search(t, s, core.SearchQuery{Text: query, Memories: []string{"m"}, Limit: 1}); got != want {
			t.Errorf("%s finds %q, want %q", query, got, want)
		}
	}
	must.Equal(t, "", search(t, s, core.SearchQuery{Text: "model"}))
}

func TestStatementsComeBeforeQuestionsRefusalsAndEchoes(t *testing.T) {
	s := remembering(t)
	mustPut(t, s, chatter(30, "The meeting went on about people")...)
	refused, echo := said("refused", "I cannot look at the boiler, the boiler is not a file."), said("echo", "You said that the boiler is a Buderus.")
	refused.Role, refused.Tags = core.RoleAssistant, map[string]string{core.TagStatus: "error"}
	echo.Role, echo.Tags = core.RoleAssistant, map[string]string{core.TagStatus: "recalled"}
	mustPut(t, s, said("question", "What is the boiler, and who made the boiler?"), said("unmarked", "welcher Boiler ist das"), said("spanish", "¿cuál es el boiler?"),
		refused, echo, said("statement", "For the cellar we have bought the boiler of Buderus in spring."))
	for _, query := range []string{"boiler", "which boiler is it?"} {
		found, err := s.Search(t.Context(), core.SearchQuery{Text: query, Memories: []string{"m"}})
		if err != nil || len(found) != 6 || found[0].Entry.ID != "statement" {
			t.Fatalf("%s finds %+v, %v", query, found, err)
		}
		for _, f := range found[1:] {
			if f.Parts["question"] >= 0 && f.Parts["status"] >= 0 {
				t.Errorf("%s is ranked by %v", f.Entry.ID, f.Parts)
			}
		}
		if why := found[0].Explain(query).String(); why != "says boiler" {
			t.Errorf("it was found, as it %s", why)
		}
	}
}

func TestWhoSaidItAndWhenCount(t *testing.T) {
	s := remembering(t)
	now := time.Now()
	at := func(e core.Entry, days int) core.Entry {
		e.Created = now.AddDate(0, 0, -days)
		return e
	}
	mustPut(t, s, chatter(30, "The meeting went on about people")...)
	answer := said("yaap", "The boiler was mended by a plumber.")
	answer.Role = core.RoleAssistant
	mustPut(t, s, at(said("Ben", "Ben: The boiler was mended by a plumber."), 400), at(said("Ada", "Ada: The boiler was mended by a plumber."), 400),
		at(said("user", "The boiler was mended by a plumber."), 200), at(answer, 200),
		at(said("yesterday", "The boiler was mended by a plumber."), 1), at(said("a week ago", "The boiler was mended by a plumber."), 7),
		said("mentioned", "Zoe was told of the boiler and of a plumber."))
	month := now.AddDate(0, 0, -200)
	for query, want := range map[string]string{
		"what did Ada say about the boiler?": "Ada", "Who mended Ben's boiler?": "Ben",
		"what happened to the boiler yesterday?": "yesterday", "was war gestern mit dem Boiler?": "yesterday", "¿qué pasó ayer con el boiler?": "yesterday",
		"the boiler last week": "a week ago", "letzte Woche der Boiler": "a week ago", "el boiler la semana pasada": "a week ago",
		"what did you say of the boiler in " + month.Format("January 2006"): "yaap", "what did I tell you of the boiler in " + month.Format("January 2006"): "user",
		"yesterday": "yesterday", "what did I say yesterday?": "yesterday",
	} {
		if want == "a week ago" && now.Weekday() == time.Monday {
			want = "yesterday" // was in that week, too
		}
		if got := search(t, s, core.SearchQuery{Text: query, Memories: []string{"m"}, Limit: 1}); got != want {
			t.Errorf("%s finds %q, want %q", query, got, want)
		}
	}
}

func TestAWordIsAsRareAsItIsInTheMemoryThatIsSearched(t *testing.T) {
	alone, shared := remembering(t), remembering(t)
	mustPut(t, shared, core.Memory{ID: "n", Vault: "v", Title: "n"})
	for i := range 40 {
		both := storetest.Note("m", fmt.Sprint(i), fmt.Sprintf("heron number %d at the pond", i))
		if i == 7 {
			both.Raw = "the kestrel stays away"
		}
		mustPut(t, alone, both)
		mustPut(t, shared, both, storetest.Note("n", fmt.Sprint("n", i), "kestrel and kestrel again"), storetest.Note("n", fmt.Sprint("o", i), "a kestrel, too"))
	}
	q := core.SearchQuery{Text: "kestrel heron", Memories: []string{"m"}}
	first := must.Get(alone.Search(t.Context(), q))(t)
	second, err := shared.Search(t.Context(), q)
	if err != nil || len(first) != len(second) || second[0].Entry.ID != "7" {
		t.Fatalf("%d and %d entries, %v", len(first), len(second), err)
	}
	for i := range first {
		if first[i].Entry.ID != second[i].Entry.ID || first[i].Score != second[i].Score {
			t.Errorf("place %d: %s with %v, and beside another memory %s with %v", i, first[i].Entry.ID, first[i].Score, second[i].Entry.ID, second[i].Score)
		}
	}
}

func TestOtherFormsAndOtherWordsForTheSameAreFound(t *testing.T) {
	s := remembering(t)
	mustPut(t, s, chatter(30, "The meeting went on about people")...)
	mustPut(t, s, said("bought", "We bought a canoe."), said("dog", "The dog is called Biscuit."), said("flat", "Our flat is damp."),
		said("Hund", "Der Hund heißt Keks."), said("ging", "Sie ging zum Rathaus."), said("perro", "El perro se llama Luna."))
	for query, want := range map[string]string{
		"what did we buy?": "bought", "which pet do we have?": "dog", "the apartment": "flat",
		"welches Haustier gibt es?": "Hund", "wohin ist sie gegangen?": "ging", "¿qué mascota tenemos?": "perro",
	} {
		if got := search(t, s, core.SearchQuery{Text: query, Memories: []string{"m"}, Limit: 1}); got != want {
			t.Errorf("%s finds %q, want %q", query, got, want)
		}
	}
}

func TestALongEntryIsFoundByWhatIsFarBehind(t *testing.T) {
	s := remembering(t)
	long := said("long", strings.Repeat("filler and more of it ", 200)+"the boiler")
	long.Summary = ""
	mustPut(t, s, long, said("other", "tea of the neighbour"))
	found, err := s.Search(t.Context(), core.SearchQuery{Text: "boiler"})
	if err != nil || len(found) != 1 || !strings.Contains(found[0].Match, "\x02boiler\x03") {
		t.Errorf("found %+v, %v", found, err)
	}
}
