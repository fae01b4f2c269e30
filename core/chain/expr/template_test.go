package expr_test

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core/chain/expr"
	"github.com/yaap-chat/yaap/core/must"
)

const mapped = `{
	"input": "a question",
	"vars": {"least": 0.8, "big": 12345678901234567890123, "exp": 1.5e3, "far": 1e300},
	"e-mail": {"message": "Hi {{input}}", "status": "success", "data": {
		"names": ["Ann", "<Bob>"], "n": 3, "none": null, "ok": false, "empty": [], "deep": {"b": 1, "a": [true]}, "}}": "braces"
	}}
}`

func TestATemplateThatIsOneReferenceKeepsItsType(t *testing.T) {
	for src, want := range map[string]any{
		`{{input}}`:                             "a question",
		`{{ e-mail.data.names }}`:               []any{"Ann", "<Bob>"},
		`{{e-mail.data.names[1]}}`:              "<Bob>",
		`{{e-mail.data.n}}`:                     json.Number("3"),
		`{{e-mail.data.none}}`:                  nil,
		`{{e-mail.data.ok}}`:                    false,
		`{{e-mail.data["}}"]}}`:                 "braces",
		`{{e-mail.message}}`:                    "Hi {{input}}",
		`{{e-mail.data.gone | default: 3}}`:     int64(3),
		`{{e-mail.data.gone|default:"x | }}"}}`: "x | }}",
		`{{gone | default: [1, "a", null]}}`:    []any{int64(1), "a", nil},
		`{{gone | default: null}}`:              nil,
		`{{gone | default: -0.5}}`:              -0.5,
		`{{e-mail.data.none | default: true}}`:  true,
		`{{e-mail.data.ok | default: true}}`:    false,
		`{{e-mail.data.empty | default: [1]}}`:  []any{},
	} {
		if diff := cmp.Diff(want, resolve(t, src, roots(t, mapped))); diff != "" {
			t.Errorf("%s (-want +got)\n%s", src, diff)
		}
	}
}

func TestReferencesInTextAreRendered(t *testing.T) {
	for src, want := range map[string]string{
		``:                               "",
		`no reference`:                   "no reference",
		` {{input}}`:                     " a question",
		`{{input}}{{input}}`:             "a questiona question",
		`names: {{e-mail.data.names}}!`:  `names: ["Ann","<Bob>"]!`,
		`{"deep":{{e-mail.data.deep}}}`:  `{"deep":{"a":[true],"b":1}}`,
		`[{{e-mail.data.none}}]`:         "[]",
		`n={{e-mail.data.n}}`:            "n=3",
		`{{e-mail.data.ok}}.`:            "false.",
		`{{vars.least}}%`:                "0.8%",
		`{{vars.big}}.`:                  "12345678901234567890123.",
		`{{vars.exp}}.`:                  "1500.",
		`{{vars.far}}.`:                  "1e+300.",
		`{{gone | default: "nobody"}}.`:  "nobody.",
		`{{gone | default: [1, "a"]}}.`:  `[1,"a"].`,
		"{{\n\te-mail.message\n}}\n":     "Hi {{input}}\n",
		`\{{input}}`:                     "{{input}}",
		`\{{ {{input}} }}`:               "{{ a question }}",
		`C:\\{{input}}`:                  `C:\a question`,
		`C:\\\{{input}}`:                 `C:\{{input}}`,
		`C:\dir\{{input}}\{{`:            `C:\dir{{input}}{{`,
		`a \ b } }} { \n {{input}} \\ x`: `a \ b } }} { \n a question \\ x`,
		`{ {{input}} é`:                  "{ a question é",
	} {
		if diff := cmp.Diff(any(want), resolve(t, src, roots(t, mapped))); diff != "" {
			t.Errorf("%s (-want +got)\n%s", src, diff)
		}
	}
}

func TestNumbersAreRenderedWithoutAnExponentWhereThatIsExact(t *testing.T) {
	for want, v := range map[string]any{
		"1": 1, "-2": int64(-2), "1000000": 1e6, "0.000001": 1e-6, "1e-07": 1e-7,
		"123456789012345680000": 123456789012345680000.0, "1e+21": 1e21, "0": 0.0, "1.0": json.Number("1.0"),
		"100": json.Number("1E2"), "1.2345678901234567890e5": json.Number("1.2345678901234567890e5"),
	} {
		if diff := cmp.Diff(any(want+"."), resolve(t, `{{n}}.`, of(map[string]any{"n": v}))); diff != "" {
			t.Errorf("%v (-want +got)\n%s", v, diff)
		}
	}
}

func TestAReferenceThatLeadsNowhereIsAnErrorThatNamesIt(t *testing.T) {
	for _, src := range []string{`{{e-mail.data.gone[0]}}`, `text {{ e-mail.data.gone[0] }}`} {
		tmpl, err := expr.ParseTemplate(src)
		must.Do(t, err)
		_, err = tmpl.Resolve(roots(t, mapped))
		var missing *expr.MissingError
		if !errors.As(err, &missing) || missing.Path.String() != "e-mail.data.gone[0]" || err.Error() != "{{e-mail.data.gone[0]}} is missing" {
			t.Errorf("%s: %v", src, err)
		}
	}
}

func TestATemplateHasABound(t *testing.T) {
	values := of(map[string]any{"half": strings.Repeat("x", 1<<19), "nan": []any{math.NaN()}})
	if got := resolve(t, `{{half}}{{half}}`, values); len(got.(string)) != 1<<20 {
		t.Errorf("%d bytes", len(got.(string)))
	}
	tmpl := must.Get(expr.ParseTemplate(`{{half}}{{half}}.`))(t)
	if _, err := tmpl.Resolve(values); !errors.Is(err, expr.ErrTooLong) {
		t.Errorf("more than 1 MiB: %v", err)
	}
	if _, err := expr.ParseTemplate(strings.Repeat("x", 256<<10+1)); err == nil {
		t.Error("a template of more than 256 KiB was read")
	}
	tmpl = must.Get(expr.ParseTemplate(`{{nan}}.`))(t)
	if _, err := tmpl.Resolve(values); err == nil {
		t.Error("a value that is not JSON was rendered")
	}
}

func TestATemplateNamesItsReferences(t *testing.T) {
	tmpl := must.Get(expr.ParseTemplate(`é {{ a.b[0] }} \{{ c }} {{d|default: 1}}`))(t)
	want := []expr.Ref{
		{Path: expr.Path{Root: "a", Steps: []expr.Step{{Key: "b"}, {IsIndex: true}}, Offset: 6}},
		{Path: expr.Path{Root: "d", Offset: 27}, HasDefault: true},
	}
	must.Equal(t, want, tmpl.Refs())
}

func TestAWrongTemplateSaysWhereAndWhatToDo(t *testing.T) {
	for src, want := range map[string]struct {
		at            int
		message, hint string
	}{
		`a {{ b`:               {2, "not closed", `\{{`},
		`a {{ b }`:             {7, `"}"`, "{{ path }}"},
		`{{}}`:                 {2, `"}}"`, "{{ path }}"},
		`{{ "x" }}`:            {3, `"x"`, "{{ path }}"},
		`{{ a b }}`:            {5, `"b"`, "{{ path }}"},
		`{{ a == 1 }}`:         {5, `"=="`, "{{ path }}"},
		`{{#if a}}`:            {2, `"#"`, `\{{`},
		`{{{a}}}`:              {2, `"{"`, `\{{`},
		`{{ a | upper }}`:      {7, `"upper"`, "default"},
		`{{ a | default }}`:    {15, `"}}"`, "default: "},
		`{{ a | default: b}}`:  {16, `"b"`, "quotes"},
		`{{ a | default: "b}}`: {16, "does not end", `"`},
		`{{ a | default: [1}}`: {18, `"}}"`, "default: "},
		`{{ a[x] }}`:           {5, "neither an index nor a key", `["a key"]`},
		`{{ a. }}`:             {4, "key is missing", "a key"},
		`{{ 2nd.x }}`:          {3, "not a number", "quotes"},
		"a\xff":                {1, "UTF-8", "UTF-8"},
	} {
		_, err := expr.ParseTemplate(src)
		checkSyntax(t, src, err, want.at, want.message, want.hint)
	}
}

func resolve(t testing.TB, src string, l expr.Lookup) any {
	t.Helper()
	tmpl, err := expr.ParseTemplate(src)
	if err != nil {
		t.Fatalf("%s: %v", src, err)
	}
	got, err := tmpl.Resolve(l)
	if err != nil {
		t.Fatalf("%s: %v", src, err)
	}
	return got
}

func checkSyntax(t *testing.T, src string, err error, at int, message, hint string) {
	t.Helper()
	var se *expr.SyntaxError
	if !errors.As(err, &se) {
		t.Errorf("%.80q: %v is no syntax error", src, err)
		return
	}
	if se.Offset != at || !strings.Contains(se.Message, message) || !strings.Contains(se.Hint, hint) {
		t.Errorf("%.80q: at %d: %s; %s", src, se.Offset, se.Message, se.Hint)
	}
}

func FuzzTemplate(f *testing.F) {
	for _, s := range []string{`{{input}}`, `a {{ e-mail.data["}}"] }} \{{ b`, `{{gone | default: [1, "{{input}}"]}}.`, `\\\{{{{a[0]}}`, `{{`, `}}`} {
		f.Add(s)
	}
	l := roots(f, mapped)
	f.Fuzz(func(t *testing.T, src string) {
		tmpl, err := expr.ParseTemplate(src)
		if err != nil {
			checkFault(t, err, len(src))
			return
		}
		for _, ref := range tmpl.Refs() {
			stable(t, ref.Path)
		}
		for _, l := range []expr.Lookup{l, func(string) (any, bool) { return "{{input}}", true }} {
			var missing *expr.MissingError
			if _, err := tmpl.Resolve(l); err != nil && !errors.As(err, &missing) && !errors.Is(err, expr.ErrTooLong) {
				t.Errorf("%q: %v", src, err)
			}
		}
	})
}
