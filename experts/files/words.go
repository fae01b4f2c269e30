package files

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"

	"yaap/core"
)

var (
	token    = regexp.MustCompile(`"[^"]*"|'[^']*'|` + "`[^`]*`" + `|[^\s,]+`)
	pathLike = regexp.MustCompile(`[\w)\]]\.\w|/|\\|[*?]|^\.\w|^~|^\.\.$`)
	scoped   = regexp.MustCompile(`(?i)^(.+?)\s+(?:in|inside|within|under|below|across|from|throughout)\s+((?:the |all |every |my |any )*(?:\S+)(?: files?| folder| directory| code)?)$`)
	indirect = regexp.MustCompile(`(?i)^(?:look up|find out|figure out|check|see) (where|what|which|how|who|if|whether|does|is)\b`)
	elided   = regexp.MustCompile(`(?i)^(what|where|who)s\b`)
	noun     = regexp.MustCompile(`(?i)^(?:the |a |an |any |all )*(?:words?|text|strings?|phrase|term|function|func|type|method|variable|constant|symbol) (\S.*)$`)
	lead     = regexp.MustCompile(`(?i)^(?:(?:in|which|what|who|any|all|list|find|show|get|me|the|of|do|does|where|anything|is|are|there|how many|count|that|which)\s+|(?:which|what|who|anything)$)+`)
	filler   = regexp.MustCompile(`(?i)^(?:the|all|any|every|each|my|our|this|that|these|those|a|an|file|files|folder|folders|directory|directories|dir|in|on|under|below|inside|within|of|from|at|here|there|project|repo|repository|codebase|code|source|sources|src-files|tree|working|current|root|are|is|do|we|i|you|have|exist|me|up|contents?|text|to|anywhere|everything|for|and|with|everywhere|entries|see|list|can|present|available|around|hidden|whole|kinds?|sorts?|types?|overview|structure|layout|summary|package|module|got|some|it|its|only|other|but|just|than)$`)
)

// clean takes the politeness off a prompt and bounds it.
func clean(prompt string) string {
	s := strings.ToValidUTF8(prompt, "")
	if len(s) > maxPrompt {
		s = strings.ToValidUTF8(s[:maxPrompt], "")
	}
	s = strings.NewReplacer("“", `"`, "”", `"`, "‘", "'", "’", "'").Replace(s)
	s = strings.Join(strings.Fields(s), " ")
	s = polite.ReplaceAllString(s, "")
	s = indirect.ReplaceAllString(s, "$1")
	s = elided.ReplaceAllString(s, "$1's")
	s = strings.TrimRight(s, "?!. ")
	return strings.TrimSpace(ending.ReplaceAllString(s, ""))
}

// scope is where to look: one file, or the files below dir that fit globs.
type scope struct {
	file   string
	dir    string
	globs  []string
	all    bool // at any depth although no kind was asked for
	hidden bool
	dirs   bool   // folders only
	like   string // part of the path, where words beside a kind asked for it
	files  int    // how many files the words named; file is the last one
	said   bool   // the words named a folder, a kind, or files as such
	odd    error
}

func (s scope) deep() bool { return s.all || len(s.globs) > 0 }

func (s scope) fits(p string) bool {
	if s.like != "" && !strings.Contains(strings.ToLower(p), s.like) {
		return false
	}
	if len(s.globs) == 0 {
		return true
	}
	for _, g := range s.globs {
		if globFits(strings.ToLower(g), strings.ToLower(p)) {
			return true
		}
	}
	return false
}

func (s scope) name() string {
	switch {
	case s.file != "":
		return code(s.file)
	case s.dir == ".":
		return "this directory"
	}
	return code(s.dir + "/")
}

// scope reads words such as "the go files in core" or "README.md", and fails
// at a word that stands for nothing.
func (t *tree) scope(ctx context.Context, words string) (scope, error) {
	s, err := t.gist(ctx, words)
	if err == nil {
		err = s.odd
	}
	return s, err
}

// gist reads them as scope does, but passes over words that stand for nothing:
// odd then tells the first of them. A path that leads nowhere still fails.
func (t *tree) gist(ctx context.Context, words string) (scope, error) {
	s := scope{dir: "."}
	for _, w := range token.FindAllString(words, 200) {
		w = unquote(strings.TrimRight(w, ":;"))
		low := strings.ToLower(w)
		switch globs := kind(low); {
		case w == "":
		case low == "hidden":
			s.hidden, s.said = true, true
		case low == "folders" || low == "directories" || low == "subfolders" || low == "subdirectories":
			s.dirs, s.said = true, true
		case low == "anywhere" || low == "everywhere" || low == "recursively" || low == "recursive":
			s.all = true
		case low == "files" || low == "file" || low == "folder" || low == "directory":
			s.said = true
		case filler.MatchString(w):
		case strings.ContainsAny(w, "*?[") && !strings.ContainsAny(w, "/"):
			s.globs, s.said = append(s.globs, w), true
		case globs != nil:
			s.said = true
			if e, err := t.root.Stat(low); err == nil && e.IsDir() && s.dir == "." {
				s.dir = low // a folder called docs is meant rather than the kind
				continue
			}
			s.globs = append(s.globs, globs...)
		default:
			if dir, glob := path.Split(w); strings.ContainsAny(glob, "*?[") {
				s.globs, w = append(s.globs, glob), path.Clean(dir)
			}
			e, err := t.resolve(ctx, w)
			if core.CodeOf(err) == core.CodeNotFound && !looksLikePath(w) {
				s.odd = cmp.Or(s.odd, err)
				continue
			}
			if err != nil {
				return s, err
			}
			s.said = true
			if e.info.IsDir() {
				s.dir = e.path
			} else if len(s.globs) > 0 && !looksLikePath(w) {
				s.like = low
			} else if s.file != e.path {
				s.file, s.files = e.path, s.files+1
			}
		}
	}
	return s, nil
}

// mentioned returns the file that words mention among others.
func (t *tree) mentioned(ctx context.Context, words string) (string, error) {
	for _, likely := range []bool{true, false} {
		for _, w := range token.FindAllString(words, 200) {
			w = unquote(strings.TrimRight(w, ":;"))
			if w == "" || looksLikePath(w) != likely || filler.MatchString(w) {
				continue
			}
			e, err := t.resolve(ctx, w)
			if err != nil && !likely {
				continue
			}
			return e.path, err
		}
	}
	return "", errNotMine
}

// kind returns the wildcards for a word such as "markdown" or ".go".
func kind(word string) []string {
	if strings.HasPrefix(word, ".") && len(word) > 1 && len(word) < 8 && !strings.ContainsAny(word[1:], "./") {
		return []string{"*" + word}
	}
	switch word {
	case "go", "golang":
		return []string{"*.go"}
	case "markdown", "md", "docs", "documentation":
		return []string{"*.md", "*.markdown"}
	case "yaml", "yml":
		return []string{"*.yaml", "*.yml"}
	case "python", "py":
		return []string{"*.py"}
	case "javascript", "js":
		return []string{"*.js", "*.mjs", "*.jsx"}
	case "typescript", "ts":
		return []string{"*.ts", "*.tsx"}
	case "shell", "bash", "sh":
		return []string{"*.sh", "*.bash"}
	case "text", "txt":
		return []string{"*.txt"}
	case "test", "tests":
		return []string{"*_test.*", "test_*", "*.test.*", "*.spec.*"}
	case "image", "images", "pictures", "picture":
		return []string{"*.png", "*.jpg", "*.jpeg", "*.gif", "*.svg", "*.webp"}
	case "config", "configuration":
		return []string{"*.yaml", "*.yml", "*.toml", "*.ini", "*.json", "*.conf"}
	case "json", "csv", "tsv", "toml", "html", "css", "sql", "xml", "rust", "java", "ruby", "c", "cpp", "pdf", "log", "ini", "proto":
		return []string{"*." + strings.NewReplacer("rust", "rs", "ruby", "rb").Replace(word)}
	}
	return nil
}

// globFits matches a path's base, or the whole path where glob has a slash.
func globFits(glob, p string) bool {
	if !strings.ContainsAny(glob, "*?[") {
		return false
	}
	if !strings.Contains(glob, "/") {
		p = path.Base(p)
	}
	ok, err := path.Match(glob, p)
	return ok && err == nil
}

// matcher makes the test for text: what is between slashes is a regular
// expression; otherwise it is taken as it is, case mattering only when it has
// a capital.
func matcher(text string) (*regexp.Regexp, error) {
	if len(text) > 2 && text[0] == '/' && text[len(text)-1] == '/' {
		re, err := regexp.Compile(text[1 : len(text)-1])
		if err != nil {
			return nil, &core.Error{Code: core.CodeInvalid, Message: code(text) + " is not a regular expression.", Hint: "Quote the text to search for it as it is.", Err: err}
		}
		return re, nil
	}
	text = unquote(text)
	if text == "" {
		return nil, errNotMine
	}
	if text == strings.ToLower(text) {
		return regexp.Compile("(?i)" + regexp.QuoteMeta(text))
	}
	return regexp.Compile(regexp.QuoteMeta(text))
}

// splitScope splits "foo in core", and "foo core" as the shell has it, after
// the text; what is quoted stays whole.
func (t *tree) splitScope(s string) (text, in string) {
	if m := token.FindString(s); quoted(m) && strings.HasPrefix(s, m) {
		return m, strings.TrimSpace(s[len(m):])
	}
	if m := scoped.FindStringSubmatch(s); m != nil {
		return m[1], m[2]
	}
	if i := strings.LastIndexByte(s, ' '); i > 0 {
		if p, err := t.local(s[i+1:]); err == nil {
			if _, err := t.root.Stat(p); err == nil {
				return s[:i], p
			}
		}
	}
	return s, ""
}

func trimNoun(s string) string {
	if m := noun.FindStringSubmatch(s); m != nil {
		return m[1]
	}
	return s
}

func fillers(words string) bool {
	for _, w := range strings.Fields(words) {
		if !filler.MatchString(w) && kind(strings.ToLower(w)) == nil {
			return false
		}
	}
	return true
}

func looksLikePath(s string) bool { return pathLike.MatchString(s) }

func quoted(s string) bool {
	return len(s) > 1 && s[0] == s[len(s)-1] && strings.ContainsRune("\"'`", rune(s[0]))
}

func unquote(s string) string {
	if quoted(s) {
		return s[1 : len(s)-1]
	}
	return s
}

func quote(s string) string { return "`" + s + "`" }

// number reads digits, or a small number in words; 0 where there is none.
func number(s string) int {
	for i, w := range []string{"", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"} {
		if strings.EqualFold(s, w) {
			return i
		}
	}
	switch strings.ToLower(s) {
	case "twenty":
		return 20
	case "few":
		return 5
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return n
}

func code(s string) string {
	fence := "`"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	if len(fence) > 1 {
		return fence + " " + s + " " + fence
	}
	return fence + s + fence
}

// fenced puts lines into a code block that none of them can end.
func fenced(lines []string, ext string) string {
	body := strings.Join(lines, "\n")
	fence := "```"
	for strings.Contains(body, fence) {
		fence += "`"
	}
	return fence + strings.TrimPrefix(ext, ".") + "\n" + body + "\n" + fence
}

func bullets(paths []string, most int) string {
	var b strings.Builder
	for _, p := range cut(paths, most) {
		b.WriteString("- " + code(p) + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func cut(s []string, most int) []string { return append([]string{}, s[:min(len(s), most)]...) }

func showing(total int) string {
	if total > maxShown {
		return fmt.Sprintf(" (showing %d of %d)", maxShown, total)
	}
	return ""
}

func plural(n int, what string) string {
	if n == 1 {
		what = strings.TrimSuffix(strings.Replace(what, "entries", "entry", 1), "s")
	}
	return fmt.Sprintf("%d %s", n, what)
}

func bytesText(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%d bytes", n)
}

func hasSuffixFold(s, suffix string) bool {
	return len(s) >= len(suffix) && strings.EqualFold(s[len(s)-len(suffix):], suffix)
}
