package files

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/experts"
	"github.com/yaap-chat/yaap/experts/plain"
)

// How much is looked at for the values that files of settings give.
const (
	maxSettings = 400      // files
	maxSetting  = 64 << 10 // bytes of one
	maxDepth    = 1000     // of a file of settings
	maxNested   = 50       // lists and objects in each other
)

//nolint:gochecknoglobals // never change; see plain.LazyRegexp
var (
	given    = plain.LazyRegexp(`^\s*(?:-\s+)?(?:export\s+|ENV\s+|ARG\s+)?["']?([\w.@/-]+)["']?\s*(==|>=|~=|\^|=|:)\s*(\S.*?),?\s*$`)
	required = plain.LazyRegexp(`^\s*(?:require\s+)?([\w./-]+)\s+(v?\d[\w.+-]*)(?:\s*//.*)?$`) // of go.mod
	quotedAs = plain.LazyRegexp(`^("[^"]*"|'[^']*')`)
	constant = plain.LazyRegexp(`(?-i)^\s*(?:(?:export|public|private|static|final|const|var|let|val|#define)\s+)*([A-Z][A-Z0-9_]{2,})(?:\s*:\s*\w+)?\s*(?::?=|\s)\s*([^=\s(].*?);?$`)
	unit     = plain.LazyRegexp(`(?-i)_[a-z]{1,2}$`)
	heads    = plain.LazyRegexp(`^\s*\[{1,2}([^\[\]=]+)\]{1,2}\s*(?:[#;].*)?$`) // the keys below it, in TOML and INI
	remark   = plain.LazyRegexp(`\s+(?:#|//|;).*$`)
)

// setting is a value that a line of a file gives a name.
type setting struct {
	name, value, path string
	line              int
	inner             bool // its name is a path of keys
}

// settingsOf are those that files give, by name: in lower case, and without what joins its
// words. They are looked up anew when they are old.
type settingsOf struct {
	mu    sync.Mutex
	read  time.Time
	named map[string][]setting
	all   []setting
	files map[string]contents[setting]
}

// settings returns what files give: those of settings, and constants of the code.
func (t *tree) settings(ctx context.Context) map[string][]setting {
	named, _ := t.allSettings(ctx)
	return named
}

// allSettings are the settings by name, and in the order of their files.
func (t *tree) allSettings(ctx context.Context) (named map[string][]setting, all []setting) {
	known, err := t.known(ctx)
	old := t.given
	old.mu.Lock()
	defer old.mu.Unlock()
	if time.Since(old.read) < namesTime {
		return old.named, old.all
	}
	old.named = map[string][]setting{}
	old.all = reread(t, &old.files, giving(known), maxSetting, maxSettings*maxSetting, t.settingsIn)
	for _, s := range old.all {
		key := s.name
		if s.inner {
			key = s.name[strings.LastIndex(s.name, ".")+1:]
		}
		names := []string{keyOf(s.name), keyOf(key), keyOf(unit().ReplaceAllString(key, ""))} // cache.max_mb, max_mb or max
		slices.Sort(names)
		for _, name := range slices.Compact(names) {
			old.named[name] = append(old.named[name], s)
		}
	}
	if err == nil {
		old.read = time.Now()
	}
	return old.named, old.all
}

// giving are the files that may give values, as many as are looked at: those of settings
// first, and the nearest.
func giving(known *names) []string {
	far := func(p string) int {
		if isCode(p) {
			return maxDepth + strings.Count(p, "/")
		}
		return strings.Count(p, "/")
	}
	return cut(known.nearest(func(p string) bool { return holdsSettings(p) || isCode(p) }, far), maxSettings)
}

// settingsIn are those that one file gives: none where it cannot be read.
func (t *tree) settingsIn(p string) (all []setting) {
	body, _, _ := t.text(p)
	give := constantIn
	switch {
	case isLicense(p): // its first line says which it is
		first, _, _ := strings.Cut(strings.TrimSpace(body), "\n")
		return []setting{{name: "license", value: strings.TrimSpace(first), path: p, line: 1}}
	case path.Ext(p) == ".json":
		return inJSON(p, body)
	case (path.Ext(p) == ".yaml" || path.Ext(p) == ".yml") && !nestsDeeply(body):
		if file, err := parser.ParseBytes([]byte(body), 0); err == nil {
			for _, doc := range file.Docs {
				all = append(all, inYAML(p, "", doc.Body)...)
			}
			return all
		}
		fallthrough // a template of one
	case !isCode(p):
		give = func(line string) (name, value string) { return settingIn(p, line) }
	}
	n, above := 0, ""
	for line := range strings.Lines(body) {
		n++
		if m := heads().FindStringSubmatch(line); m != nil && !isCode(p) {
			above = m[1] + "."
		} else if name, value := give(line); value != "" {
			all = append(all, setting{name: above + name, value: value, path: p, line: n, inner: above != ""})
		}
	}
	return all
}

// nestsDeeply reports whether a text nests lists or objects deeper than anybody writes by hand:
// its parser takes seconds for 60 KB of brackets.
func nestsDeeply(body string) bool {
	depth := 0
	for _, r := range body {
		switch r {
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		}
		if depth > maxNested {
			return true
		}
	}
	return strings.Contains(body, strings.Repeat("- ", maxNested))
}

// inYAML are the values below a node of a YAML file, and the lists of values, each under the
// path of its keys.
func inYAML(p, above string, node ast.Node) (all []setting) {
	switch n := node.(type) {
	case *ast.MappingNode:
		for _, value := range n.Values {
			all = append(all, inYAML(p, above, value)...)
		}
	case *ast.MappingValueNode:
		name := above + n.Key.GetToken().Value
		value := ""
		switch v := n.Value.(type) {
		case *ast.MappingNode, *ast.MappingValueNode, *ast.AnchorNode:
			return inYAML(p, name+".", v)
		case *ast.SequenceNode:
			var values []string
			for _, one := range v.Values {
				scalar, ok := one.(ast.ScalarNode)
				if !ok {
					return nil
				}
				values = append(values, fmt.Sprint(scalar.GetValue()))
			}
			value = strings.Join(values, ", ")
		case *ast.LiteralNode, *ast.NullNode: // a text of lines, and nothing
		case ast.ScalarNode:
			value = v.GetToken().Value
		}
		if value != "" {
			all = append(all, setting{name: name, value: value, path: p, line: n.Key.GetToken().Position.Line, inner: true})
		}
	case *ast.AnchorNode:
		return inYAML(p, above, n.Value)
	}
	return all
}

//nolint:gochecknoglobals // never changes; see plain.LazyRegexp
var aKey = plain.LazyRegexp(`("(?:[^"\\]|\\.)*")\s*:`)

// inJSON are the values of the objects of a JSON file, each under the path of its keys, and
// the lists of values; what is in a list of objects is a table, and has no name of its own.
func inJSON(p, body string) (all []setting) {
	var top map[string]any
	d := json.NewDecoder(strings.NewReader(body))
	d.UseNumber()
	if d.Decode(&top) != nil {
		return nil
	}
	lines, n, from := map[string]int{}, 1, 0
	for _, at := range aKey().FindAllStringSubmatchIndex(body, -1) {
		n, from = n+strings.Count(body[from:at[0]], "\n"), at[0]
		if key, err := strconv.Unquote(body[at[2]:at[3]]); err == nil && lines[key] == 0 {
			lines[key] = n
		}
	}
	plainly := strings.NewReplacer("[", "", "]", "", `"`, "", ",", ", ")
	var read func(above string, object map[string]any)
	read = func(above string, object map[string]any) {
		for _, key := range slices.Sorted(maps.Keys(object)) {
			switch value := object[key].(type) {
			case map[string]any:
				read(above+key+".", value)
			case []any:
				if raw, err := json.Marshal(value); err == nil && !slices.ContainsFunc(value, func(one any) bool { _, is := one.(map[string]any); return is }) {
					all = append(all, setting{above + key, plainly.Replace(string(raw)), p, max(lines[key], 1), true})
				}
			case nil:
			default:
				all = append(all, setting{above + key, fmt.Sprint(value), p, max(lines[key], 1), true})
			}
		}
	}
	read("", top)
	return slices.DeleteFunc(all, func(s setting) bool { return s.value == "" })
}

// String is a setting as it is told, and where it stands.
func (s setting) String() string {
	return fmt.Sprintf("**%s**: %s, %s", clip(s.value, maxLine), plain.Code(s.name), plain.Code(fmt.Sprint(s.path, ":", s.line)))
}

// isKind reports whether a setting is a number, or true or false, where that is asked for.
func (s setting) isKind(kind string) bool {
	_, number := strconv.ParseFloat(s.value, 64)
	_, truth := strconv.ParseBool(s.value)
	return kind == "" || kind == "number" && number == nil || kind == "truth" && truth == nil && number != nil
}

// isSettings reports whether a file is one of settings by its ending.
func isSettings(p string) bool {
	return slices.Contains([]string{".yaml", ".yml", ".toml", ".ini", ".cfg", ".conf", ".env", ".mod", ".properties"}, strings.ToLower(path.Ext(p)))
}

// holdsSettings reports whether a file is one of settings, or names what a project needs.
func holdsSettings(p string) bool {
	name := strings.ToLower(path.Base(p))
	return isSettings(name) || path.Ext(name) == ".json" || isLicense(name) || strings.HasPrefix(name, "requirements") && strings.HasSuffix(name, ".txt") ||
		slices.Contains([]string{"gemfile", "dockerfile"}, name)
}

// isLicense reports whether a file is that of a licence, whose first line names it.
func isLicense(p string) bool {
	name := strings.ToLower(path.Base(p))
	return slices.Contains([]string{"license", "licence", "copying"}, strings.TrimSuffix(name, path.Ext(name)))
}

// isCode reports whether a file may give constants values.
func isCode(p string) bool {
	return slices.Contains([]string{".go", ".py", ".js", ".ts", ".mjs", ".rb", ".java", ".kt", ".rs", ".c", ".h", ".cpp", ".cs", ".php", ".sh"}, path.Ext(p))
}

// constantIn is the name and the value of a line of code that gives a constant one; both
// are empty where it does not.
func constantIn(line string) (name, value string) {
	if !strings.Contains(line, "=") && !strings.Contains(line, "#define") { // most lines
		return "", ""
	}
	m := constant().FindStringSubmatch(strings.TrimRight(line, "\r\n"))
	if m == nil {
		return "", ""
	}
	return m[1], remark().ReplaceAllString(m[2], "")
}

// settingIn is the name and the value of a line; both are empty where it gives none.
func settingIn(file, line string) (name, value string) {
	line = strings.TrimRight(line, "\r\n")
	if path.Base(file) == "go.mod" {
		m := required().FindStringSubmatch(line)
		if m == nil {
			return "", ""
		}
		name = m[1]
		if last := path.Base(name); len(last) > 1 && last[0] == 'v' && strings.Trim(last[1:], "0123456789") == "" {
			name = path.Dir(name)
		}
		return path.Base(name), m[2]
	}
	m := given().FindStringSubmatch(line)
	if m != nil && strings.HasPrefix(m[3], "{") && strings.HasSuffix(m[3], "}") { // "engines": {"node": ">=20"}
		outer := m[1]
		if m = given().FindStringSubmatch(strings.Trim(m[3], "{} ")); m != nil && m[1] == "text" { // license = {text = "MIT"}
			m[1] = outer
		}
	}
	if m == nil || strings.HasPrefix(strings.TrimSpace(line), "#") || strings.HasPrefix(m[3], "|") || strings.HasPrefix(m[3], "{") {
		return "", ""
	}
	value = m[3]
	if q := quotedAs().FindString(value); q != "" {
		value = q[1 : len(q)-1]
	} else {
		value = remark().ReplaceAllString(value, "")
	}
	if m[2] != "=" && m[2] != ":" && m[2] != "==" {
		value = m[2] + value
	}
	return m[1], strings.TrimSpace(value)
}

// keyOf is a name without what joins its words: log_level and logLevel are one.
func keyOf(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "", ".", "", " ", "").Replace(name))
}

// key reads some words that name a setting of a file.
func (t *tree) key(ctx context.Context, list []plain.Token) (any, float64) {
	words := make([]string, len(list))
	for i, w := range list {
		words[i] = w.Text
	}
	name := strings.Join(words, " ")
	return name, plain.ScoreIf(len(t.settings(ctx)[keyOf(name)]) > 0, experts.ReadOperand)
}

// value answers with what a setting, or a constant of the code, is.
func (t *tree) value(ctx context.Context, q query) (core.Reply, error) {
	name := cmp.Or(q.Mark("KEY"), q.Mark("topic"))
	found := t.settings(ctx)[keyOf(name)]
	if code := q.Mark("SURE"); code != "" {
		name = code
		if found = slices.Clone(t.settings(ctx)[keyOf(code)]); len(found) == 0 {
			constants, err := t.constants(ctx, q.scope, code)
			if err != nil {
				return core.Reply{}, err
			}
			found = constants
		}
	}
	if len(q.scope.files) > 0 {
		found = slices.DeleteFunc(slices.Clone(found), func(s setting) bool { return !slices.Contains(q.scope.files, s.path) })
	}
	found = slices.DeleteFunc(slices.Clone(found), func(s setting) bool { return !s.isKind(q.Mark("as")) })
	rows, lines := []any{}, []string{}
	for _, s := range found[:min(len(found), maxData)] {
		rows = append(rows, map[string]any{"name": s.name, "value": s.value, "path": s.path, "line": float64(s.line)})
		lines = append(lines, s.String())
	}
	data := map[string]any{"settings": rows, "total": float64(len(found))}
	switch len(found) {
	case 0:
		return experts.Success(t.Say("**No value** of %s in %s.", plain.Code(name), t.where(q.scope)), data), nil
	case 1:
		data["value"] = found[0].value
		return experts.Success(lines[0], data), nil
	}
	return t.rows(t.Say("**%s** in %s", t.Count(len(found), "values"), t.where(q.scope)), lines, data), nil
}

// constants are the lines that give a name in code a value, those at the margin first.
func (t *tree) constants(ctx context.Context, s scope, name string) ([]setting, error) {
	re := regexp.MustCompile(`^(\s*)(?:#define\s+|(?:(?:export|public|private|protected|static|final|const|var|let|val|readonly|int|string|String|float|double|bool|auto)\s+)*)` +
		regexp.QuoteMeta(name) + `(?:\s*:\s*[\w.<>\[\]]+|\s+[\w.\[\]]+)?\s*(?::?=|\s)\s*([^=\s].*?);?\s*$`)
	f, err := t.scan(ctx, s, search{patterns: []*regexp.Regexp{re}})
	var found []setting
	for _, h := range f.hits {
		if m := re.FindStringSubmatch(h.text); m != nil {
			found = append(found, setting{name: name, value: remark().ReplaceAllString(m[2], ""), path: h.path, line: h.line})
		}
	}
	indent := func(s setting) int {
		i := slices.IndexFunc(f.hits, func(h hit) bool { return h.path == s.path && h.line == s.line })
		return len(f.hits[i].text) - len(strings.TrimLeft(f.hits[i].text, " \t"))
	}
	slices.SortStableFunc(found, func(a, b setting) int { return cmp.Compare(indent(a), indent(b)) })
	return found, err
}
