package core_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core/must"
)

// An event that nobody emits is a promise that nobody keeps: every type of body
// is made somewhere in the program.
func TestEveryEventThatIsDeclaredIsEmittedSomewhere(t *testing.T) {
	files := token.NewFileSet()
	missing := map[string]bool{}
	declared := must.Get(filepath.Glob("*.go"))(t)
	for _, path := range declared {
		file := must.Get(parser.ParseFile(files, path, nil, 0))(t)
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Name.Name == "eventType" && f.Recv != nil {
				missing[f.Recv.List[0].Type.(*ast.Ident).Name] = true
			}
		}
	}
	if len(missing) < 40 {
		t.Fatalf("only %d events were found", len(missing))
	}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != ".." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "tui") {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if lit, ok := n.(*ast.CompositeLit); ok {
				if sel, ok := lit.Type.(*ast.SelectorExpr); ok {
					if pkg, ok := sel.X.(*ast.Ident); ok && pkg.Name == "core" {
						delete(missing, sel.Sel.Name)
					}
				}
			}
			return true
		})
		return nil
	})
	must.Do(t, err)
	for name := range missing {
		t.Errorf("nothing emits a core.%s", name)
	}
}
