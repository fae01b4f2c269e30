package expr_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"yaap/core/chain/expr"
)

// roots makes a Lookup of a JSON object.
func roots(t testing.TB, text string) expr.Lookup {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var all map[string]any
	if err := d.Decode(&all); err != nil {
		t.Fatal(err)
	}
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

func TestAConditionIsTrueOrFalse(t *testing.T) {
	for cond, want := range map[string]bool{
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
	} {
		c := parse(t, cond)
		if got := c.Test(roots(t, answered)); got != want {
			t.Errorf("%s is %v", cond, got)
		}
		if got := c.Eval(roots(t, answered)); got.True != want {
			t.Errorf("%s is %v when asked why: %v", cond, got.True, got.Problems)
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
