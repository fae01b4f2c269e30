package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/event"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/orchestrator"
	"github.com/yaap-chat/yaap/core/room"
)

// workshop is a repository of two people with a branch of a third, some tables, and
// a note that is not committed.
func workshop(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	git := func(env []string, args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "git", append([]string{"-C", dir}, args...)...)
		cmd.Env = append(os.Environ(), env...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		must.Do(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)))
	}
	commit := func(who, day, subject string) {
		t.Helper()
		var env []string
		for _, role := range []string{"AUTHOR", "COMMITTER"} {
			env = append(env, "GIT_"+role+"_NAME="+who, "GIT_"+role+"_EMAIL=someone@shop.example", "GIT_"+role+"_DATE="+day+"T10:00:00Z")
		}
		git(nil, "add", "-A")
		git(env, "commit", "-qm", subject)
	}
	git(nil, "init", "-q", "-b", "main")
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
	git(nil, "tag", "v1.0")
	write("docs/setup.md", "# Setup\n\nInstall Go.\nRun make.\n")
	commit("Mara Lind", "2026-06-15", "Write down the setup")
	git(nil, "checkout", "-q", "-b", "checkout")
	write("checkout.go", "package main\n")
	commit("Ines Soto", "2026-06-20", "Try a new checkout")
	git(nil, "checkout", "-q", "main")
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
			calls, err := calledFor(ctx, a, feed)
			if err != nil {
				return err
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

// calledFor is who was called since it was asked last.
func calledFor(ctx context.Context, a *room.Room, feed *event.Feed) (names []string, err error) {
	a.Sink().Emit(core.Scope{}, core.Notice{Text: "the end"})
	for {
		events, err := feed.Next(ctx)
		if err != nil {
			return nil, err
		}
		for _, e := range events {
			switch b := e.Body.(type) {
			case core.ToolCallStart:
				names = append(names, b.Tool)
			case core.Notice:
				if b.Text == "the end" {
					return names, nil
				}
			default:
			}
		}
	}
}

func TestOrdinaryConversationsAreAnsweredAsAFairPersonExpects(t *testing.T) {
	t.Setenv("YAAP_BID_MS", "10000") // who is chosen shall not depend on how busy the machine is
	dir := workshop(t)
	for _, half := range []struct {
		table string
		tell  bool
		least int // right turns
		most  int // wrong answers and dropped parts
	}{
		{"open", true, 82, 2},
		{"held", os.Getenv("YAAP_HELD") != "", 72, 1},
		{"sittings_open", true, 122, 1},
		{"sittings_held", os.Getenv("YAAP_HELD") != "", 62, 6},
		{"team_open", true, 68, 1},
		{"team_held", os.Getenv("YAAP_HELD") != "", 30, 2},
	} {
		names, turns := conversations(t, "turns/"+half.table+".txt")
		counts, all := map[string]int{}, 0
		for _, name := range names {
			all += len(turns[name])
			converse(t, dir, name, turns[name], half.tell, counts)
		}
		t.Logf("%s: %d turns, %v", half.table, all, counts)
		if wrong := counts["wrong answer"] + counts["dropped part"]; all < 30 || counts["right"] < half.least || wrong > half.most {
			t.Errorf("%s: of %d turns %d are right, want %d; %d are wrong, want at most %d", half.table, all, counts["right"], half.least, wrong, half.most)
		}
	}
}
