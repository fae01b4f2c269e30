package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/orchestrator"
)

// workshop is a repository of two people with a branch of a third, some tables, and
// a note that is not committed.
func workshop(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) { write(t, filepath.Join(dir, name), text) }
	commit := func(who, day, subject string) { commit(t, dir, who, day+"T10:00:00Z", subject) }
	runGit(t, dir, "init", "-q", "-b", "main")
	write("README.md", "# Shop\n\nA small shop.\n\nTODO: say how to install it\n")
	write("LICENSE", "MIT\n")
	write("go.mod", "module shop\n")
	write("main.go", "package main\n\n// main starts the shop.\nfunc main() {\n}\n")
	commit("Tom Reed", "2026-03-02", "Start the shop")
	write("orders.csv", "id,customer,country,amount,status\n1,Acme,UK,120,paid\n2,Bolt,DE,80,open\n3,Acme,UK,40,open\n4,Cora,ES,200,paid\n5,Bolt,DE,60,paid\n")
	write("customers.csv", "name,country,since\nAcme,UK,2019\nBolt,DE,2021\nCora,ES,2023\n")
	write("people.csv", "name,age,team\nann,31,core\nben,45,web\ncleo,27,core\ndan,38,web\n")
	commit("Mara Lind", "2026-04-10", "Add orders and customers")
	write("main.go", "package main\n\n// main starts the shop.\nfunc main() {\n\tserve(\":8080\") // TODO: read the port from the environment\n}\n")
	write("server.go", "package main\n\nimport \"net/http\"\n\n// serve answers until the process ends.\nfunc serve(addr string) {\n\t// TODO: shut down in order\n\t_ = http.ListenAndServe(addr, nil)\n}\n")
	commit("Tom Reed", "2026-05-20", "Serve on port 8080")
	runGit(t, dir, "tag", "v1.0")
	write("docs/setup.md", "# Setup\n\nInstall Go.\nRun make.\n")
	commit("Mara Lind", "2026-06-15", "Write down the setup")
	runGit(t, dir, "checkout", "-q", "-b", "checkout")
	write("checkout.go", "package main\n")
	commit("Ines Soto", "2026-06-20", "Try a new checkout")
	runGit(t, dir, "checkout", "-q", "main")
	write("notes.txt", "call Ben about the invoices\n")
	return dir
}

// turn is one of a conversation.
type turn struct {
	wants  [][]string // names, each as good as the others
	prompt string
	holds  []string // what the answer contains
}

// conversations are the turns of a table under the names of its conversations.
func conversations(t *testing.T, table string) (names []string, turns map[string][]turn) {
	t.Helper()
	turns = map[string][]turn{}
	for _, line := range tableLines(t, table) {
		if line[0] == '[' {
			names = append(names, strings.Trim(line, "[]"))
			continue
		}
		wants, rest, ok := strings.Cut(line, " | ")
		if !ok {
			t.Fatalf("%s: no | in %q", table, line)
		}
		prompt, holds, _ := strings.Cut(rest, " => ")
		turn := turn{prompt: strings.ReplaceAll(prompt, `\n`, "\n")}
		for want := range strings.SplitSeq(wants, " or ") {
			turn.wants = append(turn.wants, slices.Sorted(slices.Values(strings.Fields(want))))
		}
		if holds != "" {
			turn.holds = strings.Split(holds, " & ")
		}
		name := names[len(names)-1]
		turns[name] = append(turns[name], turn)
	}
	return names, turns
}

// outcome says in the words of a table how a turn went: who was called, or what
// the room said by itself.
func outcome(calls []string, reply core.Reply) []string {
	noted := slices.ContainsFunc([]string{"Noted", "Notiert", "Anotado"}, func(word string) bool { return strings.Contains(reply.Message, word) })
	if noted {
		calls = append(calls, "noted")
	}
	switch {
	case len(calls) > 0:
	case reply.Status == core.StatusSuccess:
		calls = []string{"social"}
	case reply.Data["options"] != nil:
		calls = []string{"ask"}
	default:
		calls = []string{"nobody"}
	}
	slices.Sort(calls)
	return slices.Compact(calls)
}

// verdict compares a turn with what is wanted of it.
func (s turn) verdict(got []string, reply core.Reply) string {
	plain := strings.ToLower(strings.ReplaceAll(reply.Message, "**", ""))
	holds := !slices.ContainsFunc(s.holds, func(part string) bool { return !strings.Contains(plain, strings.ToLower(part)) })
	asks := reply.Status == core.StatusClarification && !slices.Equal(got, []string{"nobody"})
	if slices.Equal(got, []string{"recall"}) && strings.HasPrefix(reply.Message, "Nothing was said") && !slices.ContainsFunc(s.wants, func(want []string) bool { return slices.Equal(want, got) }) {
		got = []string{"nobody"} // that is told
	}
	for _, want := range s.wants {
		refusal := slices.Equal(want, []string{"nobody"})
		if slices.Equal(want, []string{"ask"}) && asks || cmp.Equal(want, got) && holds && (refusal || reply.Status == core.StatusSuccess) {
			return "right"
		}
	}
	lacks := slices.ContainsFunc(s.wants[0], func(name string) bool { return !slices.Contains(got, name) })
	switch {
	case len(s.wants[0]) > 1 && lacks && reply.Status == core.StatusSuccess:
		return "dropped part"
	case asks:
		return "asked back wrongly"
	case reply.Status != core.StatusSuccess:
		return "refused wrongly"
	}
	return "wrong answer"
}

// converse has the turns of a conversation answered in a room of its own, and
// counts how each went.
func converse(t *testing.T, dir, name string, turns []turn, tell bool, counts map[string]int) {
	t.Helper()
	a := roomWith(t, dir, nil)
	feed := a.Feed()
	defer feed.Close()
	err := a.Run(t.Context(), func(ctx context.Context) error {
		if err := a.Settle(ctx); err != nil {
			return err
		}
		thread := orchestrator.NewThread()
		for _, turn := range turns {
			result, err := a.Ask(ctx, thread, turn.prompt)
			if core.CodeOf(err) == core.CodeInternal {
				return err
			}
			var calls []string
			for _, e := range happened(ctx, a, feed) {
				if b, ok := e.Body.(core.ToolCallStart); ok {
					calls = append(calls, b.Tool)
				}
			}
			got := outcome(calls, result.Reply)
			verdict := turn.verdict(got, result.Reply)
			counts[verdict]++
			if verdict != "right" && tell {
				t.Logf("%s: %s: want %v | %s => %v\n\tgot %v %s: %q", name, verdict, turn.wants, turn.prompt, turn.holds, got, result.Reply.Status, result.Reply.Message)
			}
		}
		return nil
	})
	must.Do(t, err)
}

func TestOrdinaryConversationsAreAnsweredAsAFairPersonExpects(t *testing.T) {
	dir := workshop(t)
	for _, half := range []struct {
		table string
		least int // right turns
		most  int // wrong answers and dropped parts
	}{
		{"open", 82, 2}, {"held", 72, 1}, {"sittings_open", 122, 1}, {"sittings_held", 62, 6}, {"team_open", 68, 1}, {"team_held", 30, 2},
	} {
		t.Run(half.table, func(t *testing.T) {
			t.Parallel()
			names, turns := conversations(t, "turns/"+half.table+".txt")
			counts, all := map[string]int{}, 0
			for _, name := range names {
				all += len(turns[name])
				converse(t, dir, name, turns[name], !strings.HasSuffix(half.table, "held") || os.Getenv("YAAP_HELD") != "", counts)
			}
			t.Logf("%d turns, %v", all, counts)
			if wrong := counts["wrong answer"] + counts["dropped part"]; all < 30 || counts["right"] < half.least || wrong > half.most {
				t.Errorf("of %d turns %d are right, want %d; %d are wrong, want at most %d", all, counts["right"], half.least, wrong, half.most)
			}
		})
	}
}
