package chain_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/chain"
	"github.com/yaap-chat/yaap/core/must"
)

// TestTraces runs every chain in testdata/trace with its canned replies and
// compares all that it reports. An archive holds chain.yaml and replies.yaml,
// and may hold inputs (JSON, or the question), answers (one a line, each given
// to the first question that is open) and NAME.yaml for a chain that is called.
// -update writes what happened into them.
func TestTraces(t *testing.T) {
	files, err := filepath.Glob("testdata/trace/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("there are no traces: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive := must.Get(txtar.ParseFile(file))(t)
			files := map[string]string{}
			for _, f := range archive.Files {
				files[f.Name] = string(f.Data)
			}
			got := trace(t, files)
			update := flag.Lookup("update").Value.String() == "true"
			if update {
				archive.Files = slices.DeleteFunc(archive.Files, func(f txtar.File) bool { return f.Name == "want" })
				archive.Files = append(archive.Files, txtar.File{Name: "want", Data: []byte(got)})
				must.Do(t, os.WriteFile(file, txtar.Format(archive), 0o600))
			}
			if diff := cmp.Diff(strings.Split(files["want"], "\n"), strings.Split(got, "\n")); diff != "" && !update {
				t.Errorf("trace (-want +got)\n%s", diff)
			}
		})
	}
}

func trace(t *testing.T, files map[string]string) string {
	t.Helper()
	s := newStage(t, files["chain.yaml"])
	fixtures := must.Get(chain.ReadFixtures([]byte(files["replies.yaml"])))(t)
	canned := must.Get(fixtures.Lookup(func(err error) { t.Error(err) })(""))(t)
	s.play = canned.Run
	s.cfg.Lookup = func(name string) (core.Runner, error) {
		if name, ok := strings.CutPrefix(name, "chain/"); ok {
			return compile(t, files[name+".yaml"]).Runner(s.cfg), nil
		}
		return actor{s}, nil
	}
	question, args := strings.TrimSpace(files["inputs"]), map[string]any(nil)
	if strings.HasPrefix(question, "{") {
		must.Do(t, json.Unmarshal([]byte(question), &args))
		question = ""
	}
	var out strings.Builder
	result, err := s.run(question, args)
	for answer := range strings.Lines(files["answers"]) {
		if err != nil || len(result.Pauses) == 0 {
			t.Fatalf("nothing is asked that %q could answer: %+v, %v", answer, result.Reply, err)
		}
		s.tell(&out, result, err)
		answer = strings.TrimSpace(answer)
		fmt.Fprintf(&out, "answer %s: %s\n", result.Pauses[0].ID, answer)
		must.Do(t, s.journal.Put(t.Context(), core.Answer{Pause: result.Pauses[0].ID, Text: answer, Time: time.Now()}))
		result, err = s.again()
	}
	s.tell(&out, result, err)
	for i, call := range s.calls {
		out.WriteString("asked " + strings.ReplaceAll(call, "\n", `\n`))
		if n := s.heard[i]; n > 1 {
			fmt.Fprintf(&out, " (message %d)", n)
		}
		out.WriteString("\n")
	}
	return out.String()
}

// tell writes what was reported since the last time, and what it came to.
func (s *stage) tell(out *strings.Builder, result core.Result, err error) {
	s.t.Helper()
	s.detailed = true
	for _, line := range s.path() {
		out.WriteString(line + "\n")
	}
	if err != nil {
		fmt.Fprintf(out, "error %v\n", err)
		return
	}
	for _, p := range result.Pauses {
		fmt.Fprintf(out, "waits for %s\n", p.ID)
	}
	fmt.Fprintf(out, "%s: %s %s\n", result.Reply.Status, result.Reply.Message, asJSON(result.Reply.Data))
	if result.Reply.Thought != "" {
		fmt.Fprintf(out, "thought %s\n", result.Reply.Thought)
	}
}

// seen tells what a condition saw.
func seen(b core.EdgeTaken) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(b.Values)) {
		parts = append(parts, name+"="+asJSON(b.Values[name]))
	}
	if b.Problem != "" {
		parts = append(parts, "("+b.Problem+")")
	}
	return strings.Join(parts, " ")
}
