package files

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/experts"
	"github.com/yaap-chat/yaap/experts/expertstest"
)

var wednesday = time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC)

// desk is a directory of files whose sizes and times are known.
func desk(tb testing.TB) expert {
	dir := tb.TempDir()
	app := ""
	for i := range 40 {
		app += "line " + string(rune('0'+(i+1)/10)) + string(rune('0'+(i+1)%10))
		if i == 6 || i == 32 {
			app += " ERROR disk full"
		}
		app += "\n"
	}
	app = strings.ReplaceAll(app, "line 0", "line ")
	for _, f := range []struct{ name, text, time string }{
		{"README.md", "# Demo\n\nA lease lasts for 2 s.\nTODO: write more\n", "2026-10-01T10:00:00Z"},
		{"main.go", "package main\n\nimport \"net/http\"\n\nfunc main() {\n\tc := parseConfig() // FIXME\n\thttp.ListenAndServe(\"\", nil)\n\t_ = c\n}\n", "2026-11-18T09:00:00Z"},
		{"config.go", "package main\n\n// It reads the port from the file.\nfunc parseConfig() Config {\n\treturn Config{Port: 8080, Name: \"the server that listens to all of the requests\"}\n}\n\ntype Config struct {\n\tPort int\n\tName string\n\tLimits map[string]int\n\tAddresses []string\n}\n", "2026-10-02T10:00:00Z"},
		{"app.log", app, "2026-10-03T10:00:00Z"},
		{"docs/guide.md", "# Guide\nfoo bar\nsee main.go\n", "2026-11-17T10:00:00Z"},
		{"docs/notes.txt", "connection refused\nTODO call\n", "2026-10-04T10:00:00Z"},
		{"core/hub.go", "package core\n\nimport \"net/http\"\n\n// Join takes a lease.\nfunc Join(r *http.Request) {}\n\ntype Hub struct{}\n", "2026-11-16T10:00:00Z"},
		{"core/hub_test.go", "package core\n\nfunc TestJoin() {} // TODO\n", "2026-10-05T10:00:00Z"},
		{"core/deep/settings.yaml", "port: 8080\n", "2026-10-06T10:00:00Z"},
		{"web/app.py", "import os\n\ndef load(path):\n    return open(path)\n", "2026-10-07T10:00:00Z"},
		{"web/index.js", "function render() {}\nclass View {}\n", "2026-10-08T10:00:00Z"},
		{"a.txt", "one\ntwo\nthree\n", "2026-10-09T10:00:00Z"},
		{"b.txt", "one\n2\nthree\n", "2026-10-10T10:00:00Z"},
		{"data.csv", "name,amount\nx,1\n", "2026-10-11T10:00:00Z"},
		{"empty.txt", "", "2026-10-12T10:00:00Z"},
		{"LICENSE", strings.Repeat("Permission is granted. ", 20) + "\n", "2020-01-01T10:00:00Z"},
		{"big.bin", strings.Repeat("\x00", 70000), "2026-10-13T10:00:00Z"},
		{".env", "SECRET=1\n", "2026-10-14T10:00:00Z"},
	} {
		p := filepath.Join(dir, f.name)
		at, err := time.Parse(time.RFC3339, f.time)
		if err != nil {
			tb.Fatal(err)
		}
		expertstest.Write(tb, dir, map[string]string{f.name: f.text})
		if err := os.Chtimes(p, at, at); err != nil {
			tb.Fatal(err)
		}
	}
	e := newExpert(dir)
	e.now = func() time.Time { return wednesday }
	return e
}

func TestWhatUsersTypeIsBidOnAndAnswered(t *testing.T) {
	expertstest.Answers(t, asked(desk(t)), "questions.txt", 158)
	expertstest.Answers(t, asked(desk(t)), "asked.txt", 33)
}

// unpacked is the expert on the files of an archive.
func unpacked(t *testing.T, archive string) experts.Expert {
	dir := t.TempDir()
	for _, f := range must.Get(txtar.ParseFile(filepath.Join("testdata", archive)))(t).Files {
		expertstest.Write(t, dir, map[string]string{f.Name: string(f.Data)})
	}
	return asked(newExpert(dir))
}

func TestWhatAProjectIsAskedForIsFoundInItsFiles(t *testing.T) {
	expertstest.Answers(t, unpacked(t, "project.txtar"), "project.txt", 29)
}

func TestTheLicenceOfAProjectIsToldFromWhateverNamesIt(t *testing.T) {
	for name, text := range map[string]string{
		"LICENSE":        "\nMIT License\n\nCopyright (c) 2026 Ada\n",
		"COPYING.txt":    "MIT License\n",
		"pyproject.toml": "[project]\nlicense = {text = \"MIT\"}\n",
		"package.json":   "{\"license\": \"MIT\"}\n",
	} {
		dir := t.TempDir()
		expertstest.Write(t, dir, map[string]string{name: text})
		for _, prompt := range []string{"what is the licence?", "under which license is it?"} {
			if reply := expertstest.Ask(t, asked(newExpert(dir)), prompt); !strings.Contains(reply.Message, "MIT") || strings.Contains(reply.Message, "Ada") {
				t.Errorf("%s: %s: %s", name, prompt, reply.Message)
			}
		}
	}
}

func TestWhatADocumentSaysOfATopicIsTheSectionOfThatName(t *testing.T) {
	dir := t.TempDir()
	expertstest.Write(t, dir, map[string]string{
		"docs/rules.md": "# Rules\n\nOf the boats.\n\n## Lost keys\n\nA new one costs 12 pounds.\n\n## Guests\n\nThey sign the book. Keys stay with the warden.\n",
		"regeln.md":     "# Regeln\n\n## Gäste\n\nSie zahlen 5 Euro.\n",
	})
	for prompt, want := range map[string]string{
		"what does the rules.md say about lost keys?": "costs 12 pounds",
		"what do the rules say about a guest?":        "sign the book",
		"what does rules.md say about a lost key?":    "costs 12 pounds",
		"what does rules.md say about wardens?":       "Nothing",
		"was steht in regeln.md über Gäste?":          "5 Euro",
	} {
		if reply := expertstest.Ask(t, asked(newExpert(dir)), prompt); !strings.Contains(reply.Message, want) {
			t.Errorf("%s: %s", prompt, reply.Message)
		}
	}
}

func TestBracketsWithoutEndAreLeftToTheLines(t *testing.T) {
	for body, deep := range map[string]bool{
		"x: " + strings.Repeat("[", 60_000): true, "x: " + strings.Repeat("{a: ", 15_000): true, strings.Repeat("- ", 30_000): true,
		strings.Repeat("x: [1, {a: 2}]\n", 5_000): false, "a:\n  - b\n  - - c\n": false,
	} {
		if nestsDeeply(body) != deep {
			t.Errorf("%.20q nests deeply: %v", body, !deep)
		}
	}
	dir := t.TempDir()
	expertstest.Write(t, dir, map[string]string{"x.yaml": "port: 8087\ny: " + strings.Repeat("[", 60_000)})
	if reply := expertstest.Ask(t, asked(newExpert(dir)), "what is the port?"); !strings.Contains(reply.Message, "8087") {
		t.Error(reply.Message)
	}
}

func TestWhatDocumentsListToBeDoneIsTold(t *testing.T) {
	expertstest.Answers(t, unpacked(t, "docs.txtar"), "docs.txt", 4)
	expertstest.Declines(t, unpacked(t, "docs.txtar"), "docsothers.txt", 1)
	expertstest.Answers(t, unpacked(t, "verein.txtar"), "verein.txt", 4)
}

func TestWhatBelongsToOthersIsDeclined(t *testing.T) {
	expertstest.Declines(t, asked(desk(t)), "others.txt", 47)
	expertstest.Declines(t, asked(desk(t)), "askedothers.txt", 11)
}

func TestTwoQuestionsAreNotReadAsOne(t *testing.T) {
	expertstest.Doubts(t, asked(desk(t)), "two.txt")
}

func TestWhatAFileImportsIsReadInManyLanguages(t *testing.T) {
	e := desk(t)
	for text, want := range map[string]string{
		"import os, sys\nimport numpy as np\nfrom a.b import c\n":                                          "os sys numpy a.b",
		"package x\n\nimport (\n\tf \"fmt\"\n\n\t\"net/http\"\n)\n\nvar s = \"no\"\n":                      "fmt net/http",
		"import a, {b} from 'react'\nimport {\n  c,\n} from \"./d\"\nconst e = require('f')\nimport 'g'\n": "react ./d f g",
		"#include <stdio.h>\n#include \"a.h\"\n":                                                           "stdio.h a.h",
		"use std::io;\nimport static java.util.List;\n":                                                    "std::io java.util.List",
		"Please use the door.\nIt is important to import nothing.\n":                                       "",
	} {
		expertstest.Write(t, e.dir, map[string]string{"x.src": text})
		all, _ := expertstest.Ask(t, asked(e), "imports of x.src").Data["imports"].([]string)
		if strings.Join(all, " ") != want {
			t.Errorf("%q: got %q, want %q", text, all, want)
		}
	}
}

func TestEveryAnswerIsGivenInEveryLanguage(t *testing.T) {
	expertstest.Replies(t, translators())
}

func asked(e expert) experts.Expert { return experts.Expert{Answer: e.answer, Bid: e.bid} }
