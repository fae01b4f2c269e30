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

// roots makes a Lookup of a JSON object.
func roots(t testing.TB, text string) expr.Lookup {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var all map[string]any
	must.Do(t, d.Decode(&all))
	return of(all)
}

func of(all map[string]any) expr.Lookup {
	return func(root string) (any, bool) {
		v, ok := all[root]
		return v, ok
	}
}

func parse(t testing.TB, src string) *expr.Cond {
	t.Helper()
	c, err := expr.ParseCond(src)
	if err != nil {
		var se *expr.SyntaxError
		errors.As(err, &se)
		t.Fatalf("%s: %v; %s", src, err, se.Hint)
	}
	return c
}

const answered = `{
	"response": {
		"status": "success",
		"message": "The capital is Paris. {{response.status}}",
		"data": {
			"score": 0.9, "count": 3, "ok": true, "none": null, "id": 12345678901234567890123,
			"names": ["Ann", "Bob"], "nested": {"list": [1, {"deep": "yes"}]}, "two words": "x",
			"2fa": "on", "e-mail": "a@b.c", "text": "5"
		}
	},
	"vars": {"least": 0.8, "count": 3.0, "names": ["Ann", "Bob"]},
	"in": {"x": 1}
}`

// conditions are conditions over answered, and whether they are true.
var conditions = map[string]bool{
	// the ones of the specification
	`response.status == "success"`: true,
	`response.status == "failure"`: false,
	`response.data.score > 0.8`:    true,
	// numbers
	`response.data.score >= 0.9`:  true,
	`response.data.score < 0.9`:   false,
	`response.data.score <= 0.9`:  true,
	`response.data.count == 3`:    true,
	`response.data.count == 3.0`:  true,
	`response.data.count == 3e0`:  true,
	`response.data.count != 4`:    true,
	`response.data.count > -1`:    true,
	`response.data.count > -1.5`:  true,
	`response.data.count == "3"`:  false,
	`response.data.count != "3"`:  true,
	`3 == response.data.count`:    true,
	`response.data.text > 4`:      false,
	`response.data.text == "5"`:   true,
	`response.data.score == 0.9`:  true,
	`response.data.score == 9e-1`: true,
	// paths on both sides
	`response.data.score > vars.least`:    true,
	`response.data.count == vars.count`:   true,
	`response.data.names == vars.names`:   true,
	`response.data.names == vars.missing`: false,
	// integers of any size, exactly
	`response.data.id == 12345678901234567890123`: true,
	`response.data.id == 12345678901234567890124`: false,
	`response.data.id < 12345678901234567890124`:  true,
	`response.data.id > 9223372036854775807`:      true,
	`response.data.id > 0.5`:                      true,
	`9007199254740993 == 9007199254740992.0`:      false,
	`9007199254740993 > 9007199254740992.0`:       true,
	// texts and booleans
	`response.status < "t"`:      true,
	`'a' >= "b"`:                 false,
	`response.data.ok == true`:   true,
	`response.data.ok != false`:  true,
	`response.data.ok == "true"`: false,
	`response.data.ok`:           true,
	`not response.data.ok`:       false,
	`!response.data.ok`:          false,
	`response.status`:            false,
	`true`:                       true,
	// null is what is missing, and nothing else
	`response.data.none == null`:              true,
	`response.data.gone == null`:              true,
	`response.data.gone.deep[3].x == null`:    true,
	`nobody.said.anything == null`:            true,
	`response.status == null`:                 false,
	`response.data.gone != 1`:                 true,
	`response.data.gone > 0`:                  false,
	`response.data.gone < 0`:                  false,
	`response.data.none >= null`:              false,
	`response.data.gone`:                      false,
	`exists(response.data.score)`:             true,
	`exists(response.data.none)`:              false,
	`exists(response.data.gone)`:              false,
	`exists( response.data.names[1] )`:        true,
	`exists(response.data.names[2])`:          false,
	`exists (response.status)`:                true,
	`not exists(response.data.gone)`:          true,
	`response.data.names.Ann == null`:         true,
	`response.data[0] == null`:                true,
	`response.status.x == null`:               true,
	`response.data.nested.list[1].deep[0].no`: false,
	// paths
	`response.data.nested.list[1].deep == "yes"`: true,
	`response.data.nested["list"][ 0 ] == 1`:     true,
	`response.data["two words"] == 'x'`:          true,
	`response.data[ 'two words' ] == 'x'`:        true,
	`response.data.2fa == "on"`:                  true,
	`response.data.e-mail == "a@b.c"`:            true,
	`response["data"]["e-mail"] endsWith ".c"`:   true,
	`in.x == 1`: true,
	"response.data.score\n\t> 0.8\n  and response.ok": false,
	// lists, texts and objects
	`response.status in ["success", "completed"]`:                     true,
	`response.status not in ["success", "completed"]`:                 false,
	`response.data.count in [1, 2, 3.0]`:                              true,
	`response.data.count in []`:                                       false,
	`null in [1, null]`:                                               true,
	`[1] in [[1], 2]`:                                                 true,
	`response.data.names contains "Ann"`:                              true,
	`response.data.names contains "A"`:                                false,
	`response.data.names not contains "A"`:                            true,
	`response.message contains "Paris"`:                               true,
	`"Paris" in response.message`:                                     true,
	`"score" in response.data`:                                        true,
	`response.data contains "gone"`:                                   false,
	`response.data.nested.list == [1, 2]`:                             false,
	`response.data.names == ["Ann", "Bob"]`:                           true,
	`response.data.names == ["Bob", "Ann"]`:                           false,
	`response.message startsWith "The "`:                              true,
	`response.message startsWith "the "`:                              false,
	`response.message endsWith "}}"`:                                  true,
	`response.message matches "capital is [A-Z][a-z]+\\."`:            true,
	`response.message matches "^capital"`:                             false,
	`response.message == "The capital is Paris. {{response.status}}"`: true,
	// what cannot be compared is false
	`response.data.count startsWith "3"`:  false,
	`response.data.count matches "3"`:     false,
	`3 in response.message`:               false,
	`"a" in response.data.count`:          false,
	`response.data.ok > false`:            false,
	`response.data.names > response.data`: false,
	// escapes
	`"\u00e9\n\t\\\"'" == 'é` + "\n\t" + `\\"\''`: true,
	// and, or, not, in this order of strength from the weakest on: or, and, not
	`true or true and false`:                                             true,
	`(true or true) and false`:                                           false,
	`not false and false`:                                                false,
	`not (false and false)`:                                              true,
	`not not true`:                                                       true,
	`!true || !false && true`:                                            true,
	`not response.status == "failure"`:                                   true,
	`((response.data.score > 0.8))`:                                      true,
	`response.data.gone > 0.8 or response.status == "success"`:           true,
	`response.data.gone > 0.8 and response.status == "success"`:          false,
	`not(response.data.gone > 0.8)`:                                      true,
	`exists(response.data.gone) && response.data.gone > 1 || vars.least`: false,
}

func TestAConditionIsTrueOrFalse(t *testing.T) {
	for cond, want := range conditions {
		c := parse(t, cond)
		if got := c.Eval(roots(t, answered)); got.True != want {
			t.Errorf("%s is %v: %v", cond, got.True, got.Problems)
		}
	}
}

func TestAConditionSaysWhyItIsFalse(t *testing.T) {
	for cond, want := range map[string][]string{
		`response.data.gone > 0.8 or response.status == "failure"`: {`response.data.gone is missing`},
		`response.data.gone > 1 or response.data.gone < 0`:         {`response.data.gone is missing`},
		`response.data.none > 0.8`:                                 {`response.data.none is null`},
		`response.data.text > 4`:                                   {`response.data.text > 4 compares text with a number`},
		`response.data.ok > response.data`:                         {`response.data.ok > response.data compares a boolean with an object`},
		`null > 3`:                                                 {`null > 3 compares null with a number`},
		`response.status`:                                          {`response.status is text, neither true nor false`},
		`3 in response.message`:                                    {`3 in response.message looks for a number in text`},
		`response.data.count contains "3"`:                         {`response.data.count contains "3" looks for text in a number`},
		`response.data.count startsWith "3"`:                       {`response.data.count startsWith "3" needs text, and this is a number and text`},
		`response.data.gone matches "3"`:                           {`response.data.gone is missing`},
		`"a" in vars.gone`:                                         {`vars.gone is missing`},
		`response.data.gone == 3`:                                  nil,
		`response.status == 3`:                                     nil,
		`response.data.gone in [1]`:                                nil,
		`response.data.gone`:                                       nil,
	} {
		got := parse(t, cond).Eval(roots(t, answered))
		if diff := cmp.Diff(want, got.Problems); diff != "" || got.True {
			t.Errorf("%s is %v (-want +got)\n%s", cond, got.True, diff)
		}
	}
}

func TestAVerdictTellsWhatThePathsStoodFor(t *testing.T) {
	long := strings.Repeat("é", 200)
	l := of(map[string]any{"r": map[string]any{
		"n": 1, "s": "x", "long": long, "list": []any{long, map[string]any{"a": 1}}, "many": make([]any, 1000), "null": nil,
	}})
	c := parse(t, `r.n == 1 or r["s"] == "y" or r.long in r.list or r.many == r.null or r.gone or r.n == 2`)
	cut := strings.Repeat("é", 100) + "…"
	got := c.Eval(l)
	if n := len(got.Values["r.many"].([]any)); n > 40 {
		t.Errorf("%d elements of a list", n)
	}
	delete(got.Values, "r.many")
	want := map[string]any{"r.n": 1, "r.s": "x", "r.long": cut, "r.list": []any{cut, map[string]any{"a": 1}}, "r.null": nil, "r.gone": nil}
	must.Equal(t, want, got.Values)
	var many []string
	for i := range 40 {
		many = append(many, "r.n > r.k"+strings.Repeat("k", i))
	}
	got = parse(t, strings.Join(many, " or ")).Eval(l)
	if len(got.Values) != 32 || len(got.Problems) != 32 {
		t.Errorf("%d values, %d problems", len(got.Values), len(got.Problems))
	}
}

func TestAConditionNamesItsPaths(t *testing.T) {
	c := parse(t, `é.a > 1 or exists(b["c d"][2]) and (not c) or 3 in d or é.a == x`)
	var got []string
	for _, p := range c.Paths() {
		if !strings.HasPrefix(c.String()[p.Offset:], p.Root) {
			t.Errorf("%s is not at %d", p, p.Offset)
		}
		got = append(got, p.String())
	}
	must.Equal(t, []string{"é.a", `b["c d"][2]`, "c", "d", "é.a", "x"}, got)
}

func TestNoValuesMakeAnEvaluationFail(t *testing.T) {
	values := of(map[string]any{
		"nothing": nil, "yes": true, "one": 1, "half": 0.5, "big": json.Number("123456789012345678901234567890"), "nan": math.NaN(), "bad": json.Number("x"),
		"empty": "", "text": "text", "list": []any{1, "text", nil}, "lists": []any{[]any{}}, "object": map[string]any{"text": 1}, "odd": struct{}{},
	})
	names := []string{"gone", "nothing", "yes", "one", "half", "big", "nan", "bad", "empty", "text", "list", "lists", "object", "odd", "list[0]", "object.text", "text[9].x"}
	is := func(cond string) bool {
		c := parse(t, cond)
		got := c.Eval(values)
		if got.True && len(got.Problems) > 0 {
			t.Errorf("%s is %v: %v", cond, got.True, got.Problems)
		}
		if parse(t, "not ("+cond+")").Eval(values).True == got.True {
			t.Errorf("%s is what it is not", cond)
		}
		return got.True
	}
	for _, a := range names {
		is(a)
		is(a + ` matches "t"`)
		for _, b := range names {
			for _, op := range []string{"in", "contains", "startsWith", "endsWith", "<=", ">="} {
				is(a + " " + op + " " + b)
			}
			if is(a+" == "+b) == is(a+" != "+b) || is(a+" == "+b) != is(b+" == "+a) {
				t.Errorf("%s and %s are both equal and not", a, b)
			}
			if is(a+" < "+b) != is(b+" > "+a) || is(a+" < "+b) && is(a+" >= "+b) {
				t.Errorf("%s and %s have two orders", a, b)
			}
		}
	}
}

func TestNumbersOfAllTypesAreCompared(t *testing.T) {
	l := of(map[string]any{
		"i": 3, "i64": int64(3), "f": 3.0, "n": json.Number("3"), "n0": json.Number("3.0"),
		"big": json.Number("9223372036854775808.0"), "nbig": json.Number("9223372036854775808"), "fbig": float64(1 << 63), "nan": math.NaN(), "inf": math.Inf(1),
		"bad": json.Number("x"), "odd": make(chan int), "huge": json.Number(strings.Repeat("9", 5000)),
	})
	numbers := []string{"i", "i64", "f", "n", "n0", "3"}
	for _, a := range numbers {
		for _, b := range numbers {
			if c := a + " == " + b + " and " + a + " >= " + b + " and not " + a + " < " + b; !parse(t, c).Eval(l).True {
				t.Error(c)
			}
		}
	}
	for _, c := range []string{
		`big == nbig`, `big == fbig`, `fbig == nbig`, `big > 9223372036854775807`, `i < big`, `inf > nbig`, `inf > 1e308`, `huge == inf`,
		`nan != nan`, `not nan > 1`, `not nan < 1`,
		`bad != 3`, `odd != odd`, `odd != null`, `not odd > 1`,
	} {
		if !parse(t, c).Eval(l).True {
			t.Error(c)
		}
	}
}

func TestAListThatHoldsItselfIsCompared(t *testing.T) {
	a, b := []any{nil}, []any{nil}
	a[0], b[0] = a, b
	if parse(t, `a == b`).Eval(of(map[string]any{"a": a, "b": b})).True {
		t.Error("lists without an end are equal")
	}
}

func TestNoLookupMeansThatEverythingIsMissing(t *testing.T) {
	if v := parse(t, `a > 1 or a == null`).Eval(nil); !v.True {
		t.Error(v)
	}
}

func TestGetIsSafeAtEveryStep(t *testing.T) {
	v := map[string]any{"a": []any{map[string]any{"": "empty", "null": nil}}, "s": "text"}
	key := func(k string) expr.Step { return expr.Step{Key: k} }
	at := func(i int) expr.Step { return expr.Step{Index: i, IsIndex: true} }
	for _, c := range []struct {
		steps []expr.Step
		want  any
		ok    bool
	}{
		{nil, v, true},
		{[]expr.Step{key("a"), at(0), key("")}, "empty", true},
		{[]expr.Step{key("a"), at(0), key("null")}, nil, true},
		{[]expr.Step{key("a"), at(0), key("null"), key("x")}, nil, false},
		{[]expr.Step{key("a"), at(1)}, nil, false},
		{[]expr.Step{key("a"), at(-1)}, nil, false},
		{[]expr.Step{key("a"), key("0")}, nil, false},
		{[]expr.Step{at(0)}, nil, false},
		{[]expr.Step{key("s"), at(0)}, nil, false},
		{[]expr.Step{key("gone"), key("a"), at(3)}, nil, false},
	} {
		if got, ok := expr.Get(v, c.steps); ok != c.ok || !cmp.Equal(got, c.want) {
			t.Errorf("%v: %v, %v", c.steps, got, ok)
		}
	}
}

func TestAWrongConditionSaysWhereAndWhatToDo(t *testing.T) {
	for src, want := range map[string]struct {
		at            int
		message, hint string
	}{
		``:                                {0, "empty", "response.status"},
		" \n":                             {0, "empty", "response.status"},
		`a = 1`:                           {2, `"="`, "write =="},
		`a === 1`:                         {2, `"==="`, "write =="},
		`a is "x"`:                        {2, `"is"`, "write =="},
		`a <> 1`:                          {2, `"<>"`, "write !="},
		`a => 1`:                          {2, `"=>"`, "write >="},
		`a =~ "x"`:                        {2, `"=~"`, "matches"},
		`a == 1 AND b`:                    {7, `"AND"`, "write and"},
		`a == 1 & b`:                      {7, `"&"`, "write and"},
		`a == 1 | b`:                      {7, `"|"`, "write or"},
		`a == None`:                       {5, `"None"`, "write null"},
		`a == True`:                       {5, `"True"`, "write true"},
		`a startswith "x"`:                {2, `"startswith"`, "write startsWith"},
		`a + 1 > 2`:                       {2, `"+"`, "arithmetic"},
		`a - 1 > 2`:                       {2, `"-"`, "arithmetic"},
		`a -1 > 2`:                        {2, `-1`, "arithmetic"},
		`a > 1-2`:                         {4, `"1-2"`, "arithmetic"},
		`len(a) > 1`:                      {0, `no function "len"`, "exists(path)"},
		`a == lower (b)`:                  {5, `no function "lower"`, "exists(path)"},
		`a.contains("x")`:                 {0, `no function "a.contains"`, `contains "x"`},
		`exists("a")`:                     {7, `"a"`, "exists(response.data.name)"},
		`exists(a`:                        {6, "( that stands here is not closed", "add )"},
		`exists(a) == true`:               {10, "cannot be compared", "parentheses"},
		`(a) == 1`:                        {4, "cannot be compared", "parentheses"},
		`a == "x`:                         {5, "does not end", `add "`},
		`a == 'x"`:                        {5, "does not end", `add '`},
		`a == "x\`:                        {5, "does not end", `add "`},
		`a == “x”`:                        {5, "“", "straight quotes"},
		`a matches "\d"`:                  {11, "unknown escape", `\\`},
		`a matches "("`:                   {10, "missing closing )", "RE2"},
		`a matches b`:                     {10, "not a text", "quotes"},
		`a matches 3`:                     {10, "not a text", "quotes"},
		`(a == 1`:                         {0, "( that stands here is not closed", "add )"},
		`a == 1)`:                         {6, `")"`, "closes nothing"},
		`a in [1, 2`:                      {5, "[ that stands here is not closed", "add ]"},
		`a in [1 2]`:                      {8, "2", "look like this"},
		`a in [b]`:                        {6, `"b"`, "quotes"},
		`a[0 == 1`:                        {1, "not closed", "add ]"},
		`a[-1] == 1`:                      {2, "neither an index nor a key", "[0]"},
		`a[99999999999999999999] == 1`:    {2, "neither an index nor a key", "[0]"},
		`a. == 1`:                         {1, "key is missing", `data["a key"]`},
		`a ==`:                            {4, "end comes too early", "value is missing"},
		`a and`:                           {5, "end comes too early", "value is missing"},
		`== 1`:                            {0, `"=="`, "look like this"},
		`a not`:                           {5, "end comes too early", "not in"},
		`a not == 1`:                      {6, `"=="`, "not in"},
		`1 < a < 2`:                       {6, "two sides", "0 < x and x < 1"},
		`"success"`:                       {0, "alone", "=="},
		`3 and a`:                         {0, "alone", "=="},
		`a b`:                             {2, `"b"`, "look like this"},
		`a == 01`:                         {5, `"01" is not a number`, "3, -0.8"},
		`a == 3px`:                        {5, `"3px" is not a number`, "quotes"},
		`a == 1e999`:                      {5, "too great", "1e6"},
		`{{a.b}} == 1`:                    {0, `"{{"`, "no braces"},
		`$.a == 1`:                        {0, `"$"`, "no braces"},
		"a == \x00":                       {5, `"\x00"`, "look like this"},
		"a == '\xff'":                     {6, "UTF-8", "UTF-8"},
		strings.Repeat("a", 4<<10+1):      {4 << 10, "longer than 4 KiB", "shorter"},
		strings.Repeat("(", 60) + "a":     {50, "50 levels", "simpler"},
		strings.Repeat("not ", 60) + "a":  {200, "50 levels", "simpler"},
		"a in " + strings.Repeat("[", 60): {55, "50 levels", "simpler"},
		"a in [" + strings.Repeat("1,", 1500) + "1]": {2006, "longer than 1000", "shorter"},
	} {
		_, err := expr.ParseCond(src)
		checkSyntax(t, src, err, want.at, want.message, want.hint)
	}
}

func FuzzCond(f *testing.F) {
	for _, s := range []string{
		`response.status == "success"`, `response.data.score > 0.8 or not (a["b c"][0] in [1, 'x', null])`, `a matches "^x+$" && !exists(b.c-d)`,
		`"\u00e9\x41" != a.2fa`, `in.x contains -1e3 || true`, `a == [[[1]]]`, `1 < 2 < 3`, `a = b`, `(((`, `"`,
	} {
		f.Add(s)
	}
	l := roots(f, answered)
	f.Fuzz(func(t *testing.T, src string) {
		c, err := expr.ParseCond(src)
		if err != nil {
			checkFault(t, err, len(src))
			return
		}
		c.Eval(l)
		for _, p := range c.Paths() {
			stable(t, p)
		}
	})
}

// checkFault wants a place in the source, and words.
func checkFault(t *testing.T, err error, size int) {
	t.Helper()
	var se *expr.SyntaxError
	if !errors.As(err, &se) || se.Offset < 0 || se.Offset > size || se.Message == "" || se.Hint == "" {
		t.Errorf("%#v", err)
	}
}

// stable wants a path that is written to be read as the same.
func stable(t *testing.T, p expr.Path) {
	t.Helper()
	tmpl, err := expr.ParseTemplate("{{" + p.String() + "}}")
	if err != nil {
		t.Fatalf("%s: %v", p, err)
	}
	again := tmpl.Refs()[0].Path
	again.Offset = p.Offset
	if diff := cmp.Diff(p, again); diff != "" {
		t.Errorf("%s (-want +got)\n%s", p, diff)
	}
}
