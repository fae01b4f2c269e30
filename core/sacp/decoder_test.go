package sacp_test

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/sacp"
)

// streamed puts the deltas of a text together, field by field.
func streamed(pieces []string) map[string]string {
	var d sacp.Decoder
	got := map[string]string{}
	take := func(deltas []core.Delta) {
		for _, delta := range deltas {
			if delta.Reset {
				delete(got, delta.Field)
			}
			if delta.Field == core.FieldMessage { // text is void when it begins
				delete(got, core.FieldText)
			}
			if delta.Text != "" {
				got[delta.Field] += delta.Text
			}
		}
	}
	for _, piece := range pieces {
		take(d.Write(piece))
	}
	take(d.Close())
	return got
}

// split cuts a text in pieces of 0 to 7 bytes.
func split(text string, seed uint64) []string {
	r := rand.New(rand.NewPCG(seed, 1))
	var pieces []string
	for text != "" {
		n := min(len(text), r.IntN(8))
		pieces = append(pieces, text[:n])
		text = text[n:]
	}
	return pieces
}

func bytewise(text string) []string {
	pieces := make([]string, len(text))
	for i := range len(text) {
		pieces[i] = text[i : i+1]
	}
	return pieces
}

func TestThoughtAndMessageComeOutWhileTheyAreWritten(t *testing.T) {
	const th, msg, txt = core.FieldThought, core.FieldMessage, core.FieldText
	for name, c := range map[string]struct {
		text string
		want map[string]string
	}{
		"clean":               {`{"thought":"a","status":"success","data":{},"message":"b"}`, map[string]string{th: "a", msg: "b"}},
		"any order":           {`{"message":"b","data":{"x":[1]},"thought":"a","status":"success"}`, map[string]string{th: "a", msg: "b"}},
		"escapes":             {`{"message":"\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00é😀","status":"success"}`, map[string]string{msg: "\"\\/\b\f\n\r\té😀é😀"}},
		"half a pair":         {`{"message":"\ud83dx\ude00\ud83d\n\ud83d","status":"success"}`, map[string]string{msg: "\ufffdx\ufffd\ufffd\n\ufffd"}},
		"nested keys":         {`{"data":{"message":"no","l":[{"thought":"no"}]},"message":"b","status":"success"}`, map[string]string{msg: "b"}},
		"braces in strings":   {`{"data":{"s":"}}\"}"},"thought":"{a}","message":"}","status":"success"}`, map[string]string{th: "{a}", msg: "}"}},
		"prose before":        {"Sure:\n" + `{"thought":"a","message":"b","status":"success"}`, map[string]string{th: "a", msg: "b"}},
		"prose after":         {`{"thought":"a","message":"b","status":"success"}` + "\nHope this helps {x}", map[string]string{th: "a", msg: "b"}},
		"fence":               {"```json\n{\"message\":\"b\",\"status\":\"success\"}\n```", map[string]string{msg: "b"}},
		"prose and fence":     {"Here:\n```JSON\n{\"message\":\"b\",\"status\":\"success\"}\n```", map[string]string{msg: "b"}},
		"byte order mark":     {"\ufeff {\"message\":\"b\",\"status\":\"success\"}", map[string]string{msg: "b"}},
		"reasoning":           {"<think>I see <b> {x} </thin</think>\n{\"thought\":\"a\",\"message\":\"b\",\"status\":\"success\"}", map[string]string{th: "I see <b> {x} </thin\na", msg: "b"}},
		"reasoning only":      {"<think>I see</th", map[string]string{th: "I see</th"}},
		"reasoning, prose":    {"<THINK>I see</Think>\n\nHello", map[string]string{th: "I see", txt: "Hello"}},
		"just prose":          {"  Hello <b>you</b>, `x` and ```go\nfunc f() {}\n``` {a} {\"b\"} <think> {", map[string]string{txt: "Hello <b>you</b>, `x` and ```go\nfunc f() {}\n``` {a} {\"b\"} <think> {"}},
		"foreign JSON":        {`{"port": 80, "s": "x\"}", "o": {"message": "no"}} end`, map[string]string{txt: `{"port": 80, "s": "x\"}", "o": {"message": "no"}} end`}},
		"foreign, then ours":  {`see {"port":80}: {"message":"b","status":"success"}`, map[string]string{msg: "b"}},
		"unknown key first":   {`{"id":1,"message":"b","status":"success"}`, map[string]string{msg: "b"}},
		"without a status":    {`{"message":"b"} {"message":"c","status":"success"}`, map[string]string{msg: "c"}},
		"a key twice":         {`{"message":"b","status":"success","message":"c"}`, map[string]string{msg: "c"}},
		"a key, then none":    {`{"message":"b","status":"success","message":null}`, map[string]string{}},
		"JSON in a string":    {`"{\"thought\":\"a\",\"message\":\"b \\\"c\\\"\",\"status\":\"success\"}"`, map[string]string{msg: `b "c"`}},
		"twice in a string":   {`"\"{\\\"message\\\":\\\"b\\\",\\\"status\\\":\\\"success\\\"}\""`, map[string]string{msg: "b"}},
		"a quoted object":     {`"{a}" is a set`, map[string]string{txt: `"{a}" is a set`}},
		"a quotation":         {`"Hello", he said`, map[string]string{txt: `"Hello", he said`}},
		"the second of two":   {`{"message":"b","status":"success"} {"message":"c","data":{},"status":"success"}`, map[string]string{msg: "c"}},
		"a draft after it":    {`{"message":"b","status":"success"}<think>{"message":"c","data":{},"status":"success"}</think>`, map[string]string{msg: "b"}},
		"an escaped key":      {`{"mess\u0061ge":"b","status":"success"}`, map[string]string{msg: "b"}},
		"single quotes":       {`{'thought': 'say "a"', 'status': 'success', 'message': 'it\'s'}`, map[string]string{th: `say "a"`, msg: "it's"}},
		"keys without quotes": {`{thought: "a", status: "success", message: "b"}`, map[string]string{th: "a", msg: "b"}},
		"inner quotes":        {`{"message":"say "hi" now","thought":"a" , "status":"success"}`, map[string]string{th: "a", msg: `say "hi" now`}},
		"missing comma":       {"{\"message\":\"b\"\n\"thought\":\"a\"}", map[string]string{th: "a", msg: "b"}},
		"raw newline":         {"{\"message\":\"b\n\tc\"}", map[string]string{msg: "b\n\tc"}},
		"comments":            {"{\"thought\":\"a\", // don't \"stop\"\n \"data\": {/* ' */}, \"message\":\"b\"}", map[string]string{th: "a", msg: "b"}},
		"cut off":             {`{"thought":"a","message":"half a sent`, map[string]string{th: "a", msg: "half a sent"}},
		"not a string":        {`{"thought":null,"message":42,"status":"success"}`, map[string]string{msg: "42"}},
		"invalid bytes":       {"{\"message\":\"a\xe2\x82b\xff\"}", map[string]string{msg: "a\ufffd\ufffdb\ufffd"}},
		"nothing":             {"", map[string]string{}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, pieces := range [][]string{{c.text}, bytewise(c.text), split(c.text, 7)} {
				if diff := cmp.Diff(c.want, streamed(pieces)); diff != "" {
					t.Errorf("%s in %d pieces (-want +got)\n%s", c.text, len(pieces), diff)
				}
			}
		})
	}
}

func TestTextIsNotHeldBackUntilTheEnd(t *testing.T) {
	var d sacp.Decoder
	for _, step := range []struct {
		piece string
		want  []core.Delta
	}{
		{"Sure", []core.Delta{{Field: core.FieldText, Text: "Sure"}}},
		{":\n", []core.Delta{{Field: core.FieldText, Text: ":\n"}}},
		{"```js", nil},
		{"on\n {\"tho", nil},
		{`ught": "on`, []core.Delta{{Field: core.FieldThought, Text: "on"}}},
		{`e`, []core.Delta{{Field: core.FieldThought, Text: "e"}}},
		{`\u00`, nil},
		{"e9\xc3", []core.Delta{{Field: core.FieldThought, Text: "é"}}},
		{"\xa9", []core.Delta{{Field: core.FieldThought, Text: "é"}}},
		{`"`, nil},
		{`,"message":"m`, []core.Delta{{Field: core.FieldMessage, Text: "m"}}},
		{`1","thought":"t`, []core.Delta{{Field: core.FieldMessage, Text: "1"}, {Field: core.FieldThought, Text: "t"}}},
	} {
		if diff := cmp.Diff(step.want, d.Write(step.piece)); diff != "" {
			t.Errorf("%q (-want +got)\n%s", step.piece, diff)
		}
	}
}

// unique reports whether no two keys of the object mean the same.
func unique(raw string) bool {
	dec := json.NewDecoder(strings.NewReader(raw))
	seen := map[string]bool{}
	if _, err := dec.Token(); err != nil {
		return false
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return false
		}
		name := strings.ToLower(strings.TrimSpace(key.(string)))
		if seen[name] {
			return false
		}
		seen[name] = true
		var skip json.RawMessage
		if dec.Decode(&skip) != nil {
			return false
		}
	}
	return true
}

func FuzzDecoderAgreesWithParse(f *testing.F) {
	for _, file := range files(f) {
		for _, c := range readCases(f, file) {
			f.Add(c.raw, uint64(3))
		}
	}
	f.Fuzz(func(t *testing.T, raw string, seed uint64) {
		whole := streamed([]string{raw})
		parts := streamed(split(raw, seed))
		res, err := sacp.Parse(raw)
		for _, got := range []map[string]string{whole, parts} {
			if err == nil && got[core.FieldMessage] != res.Reply.Message {
				t.Errorf("%q: streamed %q, parsed %+v", raw, got, res.Reply)
			}
		}
		if err != nil && (whole[core.FieldMessage] != parts[core.FieldMessage] || whole[core.FieldText] != parts[core.FieldText]) {
			t.Errorf("%q: the way it is split matters: %q and %q", raw, whole, parts)
		}
		var obj map[string]any
		if err != nil || len(res.Steps)+len(res.Warnings) > 0 || json.Unmarshal([]byte(raw), &obj) != nil || !unique(raw) {
			return
		}
		for _, got := range []map[string]string{whole, parts} {
			if got[core.FieldThought] != res.Reply.Thought {
				t.Errorf("%q: streamed %q, parsed %+v", raw, got, res.Reply)
			}
		}
	})
}

func FuzzDecoderStreamsEveryReply(f *testing.F) {
	f.Add("a", "b", "k", "v", uint64(1))
	f.Add("\"\\\n\u2028😀", "<think>```{}", "message", "\x00\xff", uint64(2))
	f.Fuzz(func(t *testing.T, thought, message, key, value string, seed uint64) {
		raw := sacp.Marshal(core.Reply{
			Thought: thought, Status: core.StatusSuccess, Message: message,
			Data: map[string]any{key: value, "list": []any{value, map[string]any{"thought": key}}},
		})
		res, err := sacp.Parse(string(raw))
		if err != nil || len(res.Steps) > 0 {
			t.Fatalf("%s: %v %v", raw, err, res.Steps)
		}
		cut := string(raw[:seed%uint64(len(raw)-1)])                   // all but the last brace, at most
		asData := strings.EqualFold(strings.TrimSpace(key), "message") // whose brace is missing cannot be told then
		if half, err := sacp.Parse(cut); err == nil && !asData && half.Reply.Status != core.StatusFailure {
			t.Errorf("%s is read as %+v", cut, half)
		}
		got := streamed(split(string(raw), seed))
		want := map[string]string{core.FieldThought: res.Reply.Thought, core.FieldMessage: res.Reply.Message}
		for field, text := range want {
			if text == "" {
				delete(want, field)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", raw, diff)
		}
	})
}

func TestNoPartOfAReplyIsTakenForText(t *testing.T) {
	for _, reply := range []string{
		`{"thought": "", "status": "success", "data": {"a": 1, "b": [1, {"c": null}]}, "message": "Drain lets"}`,
		`{"status": "success", "message": "Hi", "data": {}}`,
		"```json\n{\"thought\": \"x\", \"status\": \"success\", \"data\": {}, \"message\": \"Hi\"}\n```",
		"{\n  \"thought\" : \"x\",\n  \"status\": \"success\",\n  \"data\": {},\n  \"message\": \"Hi\"\n}",
	} {
		for i := range reply {
			var d sacp.Decoder
			for _, delta := range slices.Concat(d.Write(reply[:i]), d.Write(reply[i:]), d.Close()) {
				if delta.Field == core.FieldText {
					t.Errorf("split after %q, it gives the text %q", reply[:i], delta.Text)
				}
			}
		}
	}
}
