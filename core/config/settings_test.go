package config

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/schema"
)

func TestEverySettingOfTheFileIsTold(t *testing.T) {
	var inFile, told []string
	for f := range reflect.TypeFor[file]().Fields() {
		inFile = append(inFile, f.Tag.Get("yaml"))
	}
	for _, s := range Settings() {
		told = append(told, s.Name)
	}
	slices.Sort(inFile)
	slices.Sort(told)
	if !slices.Equal(inFile, told) {
		t.Errorf("the file takes %q, told is %q", inFile, told)
	}
}

func TestTheSchemaOfTheFileTakesWhatIsReadAndRefusesTheRest(t *testing.T) {
	s := must.Get(schema.Compile(Schema()))(t)
	for text, taken := range map[string]bool{
		`{}`: true,
		`{"model": "ollama/qwen3.5:4b", "builtin": [], "bid_ms": 1, "memory": false, "guard": {"secrets": {"input": "allow"}, "personal": "block"}}`: true,
		`{"experts": {"heron": {"command": ["heron"], "env": ["KEY"], "trust": true}}}`:                                                              true,
		`{"hooks": {"before_tool": [{"match": "calc", "command": ["sh"], "timeout": "5s"}]}}`:                                                        true,
		`{"hooks": {"before_tool": [{"match": "calc"}]}}`:                                                                                            false,
		`{"hooks": {"before": []}}`:                    false,
		`{"unknown": "offline"}`:                       false,
		`{"model": "gpt"}`:                             false,
		`{"bid_ms": 0}`:                                false,
		`{"re_asks": 3}`:                               false,
		`{"memory": "yes"}`:                            false,
		`{"guard": {"secrets": "shout"}}`:              false,
		`{"experts": {"heron": {}}}`:                   false,
		`{"experts": {"heron": {"command": "heron"}}}`: false,
	} {
		if issues := s.Check(json.RawMessage(text)); (len(issues) == 0) != taken {
			t.Errorf("%s: %v", text, issues)
		}
	}
}

func TestWhatASettingSaysHasTheNumbersThatItTakes(t *testing.T) {
	for _, s := range Settings() {
		if limits := fmt.Sprintf("%d to %d", s.min, s.max); s.max > 0 && !strings.Contains(s.Does, limits) {
			t.Errorf("%s takes %s, and says %q", s.Name, limits, s.Does)
		}
	}
}

// table is the settings as the document of them has them, in Markdown.
func table() string {
	var b strings.Builder
	b.WriteString("| key | what it says | default | also |\n|---|---|---|---|\n")
	code := func(list ...string) string {
		list = slices.DeleteFunc(list, func(s string) bool { return s == "" })
		if len(list) == 0 {
			return ""
		}
		return "`" + strings.Join(list, "`, `") + "`"
	}
	for _, s := range Settings() {
		value, _ := s.value(defaults())
		if s.Name == "builtin" {
			value = "all"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", s.Name, s.Does, code(words(value)), code(s.Flag, s.Variable))
	}
	return b.String()
}

func TestTheDocumentOfTheConfigurationHasItsSettings(t *testing.T) {
	text := string(must.Get(os.ReadFile("../../docs/configuration.md"))(t))
	before, rest, _ := strings.Cut(text, "<!-- settings -->\n")
	written, after, ok := strings.Cut(rest, "<!-- end -->")
	if !ok {
		t.Fatal("the document has no place for its settings")
	}
	if written != table() {
		if os.Getenv("YAAP_UPDATE") != "" {
			must.Do(t, os.WriteFile("../../docs/configuration.md", []byte(before+"<!-- settings -->\n"+table()+"<!-- end -->"+after), 0o644))
		}
		t.Errorf("it is stale: YAAP_UPDATE=1 go test ./core/config -run DocumentOfTheConfiguration writes it anew")
	}
}
