package files

import (
	"context"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/experts"
	"github.com/yaap-chat/yaap/experts/plain"
)

// definition answers where a name is defined, and with its lines if there is
// one place.
func (t *tree) definition(ctx context.Context, q query) (core.Reply, error) {
	name := q.texts()[0]
	quoted := regexp.QuoteMeta(name)
	re := regexp.MustCompile(plain.Definition(plain.Functions+"|"+plain.Types+"|"+plain.Others, quoted) +
		`|^\s+` + quoted + `\s+(?:=|[\w.*\[\]]+\s+=)\s|^` + quoted + `\s*(?:\(\)\s*\{|:?=[^=])`)
	f, err := t.scan(ctx, q.scope, search{patterns: []*regexp.Regexp{re}})
	if err != nil {
		return core.Reply{}, err
	}
	name = plain.Code(name)
	switch f.lines {
	case 0:
		return experts.Success(t.Say("**No definition** of %s in %s. To see where it is used: grep %s", name, t.where(q.scope), q.texts()[0]), f.data()), nil
	case 1:
		h := f.hits[0]
		body, _, err := t.text(h.path)
		if err != nil {
			return core.Reply{}, err // it changed meanwhile
		}
		lines := split(body)[h.line-1:]
		lines = cut(lines, min(plain.BlockLength(lines), maxShown))
		for i, line := range lines {
			lines[i] = tidy(line)
		}
		for len(lines) > 1 && strings.TrimSpace(lines[len(lines)-1]) == "" {
			lines = lines[:len(lines)-1]
		}
		return experts.Success(t.Say("**%s:%d** defines %s:", h.path, h.line, name)+"\n\n"+fenced(lines, path.Ext(h.path)), f.data()), nil
	}
	return experts.Success(t.Say("**%s** define %s", t.Count(f.lines, "lines"), name)+t.showing(f.lines)+f.shown(), f.data()), nil
}

// outline answers with the functions or types that some files define.
func (t *tree) outline(ctx context.Context, q query) (core.Reply, error) {
	what := q.Mark("things")
	kinds := map[string]string{"functions": plain.Functions, "types": plain.Types, "definitions": plain.Functions + "|" + plain.Types}[what]
	re := regexp.MustCompile(plain.Definition(kinds, `([\pL_$][\pL\d_$]*)`))
	f, err := t.scan(ctx, q.scope, search{patterns: []*regexp.Regexp{re}})
	if err != nil {
		return core.Reply{}, err
	}
	var lines []string
	for _, h := range f.hits {
		lines = append(lines, fmt.Sprintf("%s (%s:%d)", plain.Code(re.FindStringSubmatch(h.text)[1]), h.path, h.line))
	}
	return t.rows(t.Say("**%s** in %s", t.Count(f.lines, what), t.where(q.scope)), lines, f.data()), nil
}

// rows is a head with lines below it, at most maxShown.
func (t *tree) rows(head string, lines []string, data map[string]any) core.Reply {
	if len(lines) == 0 {
		return experts.Success(head+".", data)
	}
	return experts.Success(head+t.showing(len(lines))+":\n\n- "+strings.Join(cut(lines, maxShown), "\n- "), data)
}

// imported finds what a line imports; inside of brackets it is quoted alone.
//
//nolint:gochecknoglobals // never change; see plain.LazyRegexp
var (
	imported = plain.LazyRegexp(`(?-i)^\s*(?:from\s+([\w.]+)\s+import\b|import\s+(?:(?:.*\sfrom|[\w.]+)\s+)?["']([^"']+)["']|import\s+(?:static\s+)?([\w.:]+(?:\s+as\s+\w+)?(?:\s*,\s*[\w.]+(?:\s+as\s+\w+)?)*)` +
		`|}\s*from\s+["']([^"']+)|#include\s+[<"]([^>"]+)|use\s+([\w:]+).*;\s*$|.*\brequire\s*\(?\s*["']([^"']+))`)
	inBlock = plain.LazyRegexp(`(?-i)^\s+(?:[\w.]+\s+)?"([^"]+)"`)
)

// imports answers what a file imports, or whether it imports something.
func (t *tree) imports(_ context.Context, q query) (core.Reply, error) {
	file := q.named[0].path
	body, _, err := t.text(file)
	if err != nil {
		return core.Reply{}, err
	}
	all, block := []string{}, false
	for line := range strings.Lines(body) {
		m := imported().FindStringSubmatch(line)
		if block {
			m = inBlock().FindStringSubmatch(line)
		}
		block = strings.HasPrefix(line, "import (") || block && !strings.HasPrefix(line, ")")
		for i := 1; i < len(m); i++ {
			for _, name := range strings.Split(m[i], ",") { // import os, numpy as np
				if words := strings.Fields(name); len(words) > 0 {
					all = append(all, words[0])
				}
			}
		}
	}
	name, data := plain.Code(file), map[string]any{"path": file, "imports": cut(all, maxData), "total": float64(len(all))}
	if texts := q.texts(); len(texts) > 0 {
		steps := func(s string) string {
			return "/" + strings.NewReplacer(".", "/", "::", "/").Replace(strings.ToLower(s)) + "/"
		}
		i := slices.IndexFunc(all, func(s string) bool { return strings.Contains(steps(s), steps(texts[0])) })
		if data["imported"] = i >= 0; i < 0 {
			return experts.Success(t.Say("**No**, %s does not import %s.", name, plain.Code(texts[0])), data), nil
		}
		return experts.Success(t.Say("**Yes**, %s imports %s.", name, plain.Code(all[i])), data), nil
	}
	var lines []string
	for _, s := range all {
		lines = append(lines, plain.Code(s))
	}
	return t.rows(t.Say("**%s** in %s", t.Count(len(all), "imports"), name), lines, data), nil
}
