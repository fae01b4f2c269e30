package core_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core/must"
)

// layers says which of our packages a package may import. What it does not
// name is forbidden; a package that is not here may not exist. A trailing /...
// stands for everything below; * for all.
func layers() map[string]string {
	return map[string]string{
		"core":                   "",
		"core/safe":              "",
		"core/text":              "",
		"core/must":              "", // for tests
		"core/userfile":          "",
		"core/rank":              "",
		"core/linear":            "",
		"core/linear/lineartest": "core/linear",
		"core/rank/eval":         "core/rank",
		"core/clipboard":         "core",
		"core/lang":              "core/linear", // one place for the words of a language, for whoever reads what people say
		"core/schema":            "",
		"core/wire":              "core core/guard core/safe",
		"core/event":             "core",
		"core/llm":               "core",
		"core/llm/llmtest":       "core core/llm",
		"core/llm/web":           "core core/llm core/wire",
		"core/llm/ollama":        "core core/llm core/llm/web core/wire",
		"core/llm/openai":        "core core/llm core/llm/web core/wire",
		"core/llm/anthropic":     "core core/llm core/llm/web core/wire",
		"core/llm/offline":       "core core/lang core/llm core/rank core/sacp core/safe", // a statement is for the memory, and nobody is asked
		"core/sacp":              "core core/safe",
		"core/run":               "core",
		"core/hook":              "core core/processes core/safe",
		"core/agent":             "core core/guard core/hook core/llm core/rank core/run core/safe core/sacp core/schema core/text core/userfile",
		"core/yaap":              "",
		"core/hub":               "core core/guard core/safe core/schema core/yaap",
		"core/hub/link":          "core core/hub core/hub/login core/processes core/safe core/text core/wire core/yaap",
		"core/hub/login":         "core core/private core/safe core/userfile",
		"core/hub/server":        "core core/hub core/private core/safe core/userfile core/wire core/yaap",
		"core/bridge":            "core core/hub/server",
		"core/join":              "core core/hub/server core/processes core/safe core/yaap",
		"core/media":             "core core/guard core/private core/userfile",
		"core/processes":         "",     // commands that end with what they start, wherever one is run
		"core/private":           "core", // one way to make directories and to take turns at a file, for whoever keeps something in one
		"core/bidding":           "core core/lang core/rank core/sacp",
		"core/trust":             "core core/private core/userfile core/yaap",
		"core/store":             "core core/lang core/private core/text",
		"core/chain":             "core core/chain/expr core/guard core/rank core/run core/safe core/schema",
		"core/chain/expr":        "core/text",
		"core/diagram":           "core",
		"core/runlog":            "core core/diagram core/safe",
		"core/guard":             "",
		"core/memory":            "core core/guard core/lang core/linear core/llm core/memory/extract core/question core/rank core/sacp core/schema core/text",
		"core/memory/extract":    "core/lang core/linear core/rank", // what ends an earlier note is told by weights
		"core/question":          "core/lang core/linear core/rank", // how a sentence is found that answers, for the memory and for documents
		"core/memory/eval":       "core core/lang core/llm core/memory",
		"core/memory/foreign":    "core core/userfile",
		"core/export":            "core core/diagram core/runlog core/safe core/text",
		"core/replay":            "core core/guard core/llm core/safe core/userfile",
		"core/roomhelp":          "core core/lang core/rank docs",
		"core/servers":           "core core/userfile core/yaap",
		"core/author":            "core core/processes core/safe core/yaap",
		"core/config":            "core core/userfile core/guard core/hook core/schema core/servers core/yaap", // the names of experts are checked where the user wrote them
		"core/orchestrator":      "core core/guard core/safe core/schema",
		"core/bench":             "core core/agent core/chain core/event core/hub core/llm core/processes core/sacp core/store core/text core/yaap tui", // it plays a room to the terminal
		// The room as a library knows everything but who shows it.
		"core/room": "core core/agent core/author core/bidding core/bridge core/chain core/clipboard core/config core/diagram core/event core/export core/guard core/hook core/hub core/hub/link core/hub/login core/hub/server core/lang core/llm core/llm/anthropic core/llm/offline core/llm/ollama core/llm/openai core/llm/web core/media " +
			"core/memory core/memory/extract core/memory/foreign core/orchestrator core/private core/processes core/rank core/replay core/roomhelp core/runlog core/safe core/servers core/store core/text core/trust core/userfile core/wire core/yaap docs prompts",
		"tui":                        "core core/diagram core/lang core/media core/roomhelp core/runlog core/safe core/text core/wire tui/markdown",
		"tui/markdown":               "core/safe core/text",
		"experts":                    "core core/yaap",
		"experts/calc":               "core experts experts/plain",
		"experts/clock":              "core core/lang experts experts/plain", // whether another was asked
		"experts/data":               "core experts experts/plain",
		"experts/files":              "core core/lang core/linear core/question core/rank experts experts/plain", // what documents say is found by its words
		"experts/git":                "core experts experts/plain",
		"experts/plain":              "core core/lang experts", // the language that an answer is given in
		"experts/expertstest":        "core experts experts/plain",
		"docs":                       "",
		"prompts":                    "core/userfile", // a file of the user's may be anything
		"cmd/yaap":                   "*",
		"core/safe/safetest":         "core/safe",
		"core/store/storetest":       "core",
		"core/llm/ollama/ollamatest": "core core/llm core/llm/llmtest core/llm/web/webtest core/processes core/sacp",
		"core/hub/login/logintest":   "",
		"core/llm/web/webtest":       "core core/llm core/llm/llmtest",

		"core/llm/openai/openaitest":       "core/llm/web/webtest",
		"core/llm/anthropic/anthropictest": "core/llm/web/webtest",
	}
}

// owners says who alone may import a library. Nobody may import one whose start each
// process of a room would pay for.
func owners() map[string][]string {
	return map[string][]string{
		"charm.land/":                 {"tui", "tui/markdown"},
		"charm.land/glamour":          {},
		"github.com/mark3labs/mcp-go": {"core/hub/link", "core/hub/login", "core/hub/server", "experts"},
		"github.com/ollama/ollama":    {"core/llm/ollama", "core/llm/ollama/ollamatest"},
		"database/sql":                {"core/store", "experts/data"},

		"github.com/alecthomas/chroma/v2/lexers": {},
		"github.com/alecthomas/chroma/v2/styles": {},
	}
}

// The source is read, not asked for with go list: the cache of test results
// follows files that a test opens.
func TestPackagesImportOnlyWhatTheArchitectureAllows(t *testing.T) {
	root := ".."
	seen := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && path != root && (strings.HasPrefix(name, ".") || name == "testdata" || name == "deps") {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		rel, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		seen[rel] = true
		checkFile(t, rel, path)
		return nil
	})
	must.Do(t, err)
	if len(seen) < 20 {
		t.Errorf("only %d packages were seen", len(seen))
	}
}

func checkFile(t *testing.T, pkg, path string) {
	t.Helper()
	allowed, known := layers()[pkg]
	if !known {
		t.Errorf("%s is in no row of the table of packages", pkg)
		return
	}
	file := must.Get(parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly))(t)
	module := module(t)
	for _, spec := range file.Imports {
		imported := must.Get(strconv.Unquote(spec.Path.Value))(t)
		if ours, ok := strings.CutPrefix(imported, module+"/"); ok {
			if allowed != "*" && !slices.Contains(strings.Fields(allowed), ours) {
				t.Errorf("%s imports %s, which its row does not allow", path, ours)
			}
			continue
		}
		if pkg == "core" && strings.Contains(imported, ".") {
			t.Errorf("%s imports %s: core is made of the standard library", path, imported)
		}
		checkOwner(t, pkg, path, imported)
	}
}

// checkOwner applies the longest prefix that fits.
func checkOwner(t *testing.T, pkg, path, imported string) {
	t.Helper()
	var rule string
	for prefix := range owners() {
		if strings.HasPrefix(imported, prefix) && len(prefix) > len(rule) {
			rule = prefix
		}
	}
	if rule != "" && !slices.Contains(owners()[rule], pkg) {
		t.Errorf("%s imports %s, which belongs to %s", path, imported, strings.Join(owners()[rule], ", "))
	}
}

// The document of the architecture names every package but those of tests, and no path
// that is not there.
func TestTheDocumentOfTheArchitectureNamesWhatThereIs(t *testing.T) {
	raw := must.Get(os.ReadFile("../docs/architecture.md"))(t)
	text := string(raw)
	for _, m := range regexp.MustCompile("`((?:core|tui|experts|cmd|docs|prompts)/[\\w./]+)`").FindAllStringSubmatch(text, -1) {
		if _, err := os.Stat(filepath.Join("..", m[1])); err != nil {
			t.Errorf("it names %s, which is not there", m[1])
		}
	}
	for pkg := range layers() {
		if !strings.Contains(text, pkg) && !strings.HasSuffix(pkg, "test") && !strings.HasPrefix(pkg, "experts/") && !strings.HasSuffix(pkg, "eval") {
			t.Errorf("it does not name %s", pkg)
		}
	}
}

// module is the path of go.mod: the one place where it is chosen.
func module(t *testing.T) string {
	t.Helper()
	raw := must.Get(os.ReadFile("../go.mod"))(t)
	line, _, _ := strings.Cut(string(raw), "\n")
	return strings.TrimPrefix(line, "module ")
}
