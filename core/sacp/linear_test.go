package sacp

import (
	"strings"
	"testing"
)

// Texts that make a reader look at the same bytes again and again, if any do.
func hostileTexts() map[string]string {
	const begin = `{"status":"success","data":{},"message":"`
	texts := map[string]string{}
	for name, part := range map[string]string{
		"braces": "{", "pairs": "{}", "open keys": `{"`, "deep objects": `{"a":`, "deep lists": "[", "cut objects": `{"a":"b", x `,
		"replies": `{"status":"success","message":"m"} `, "broken replies": `{"status":"success","message":"m",}`,
		"fences": "```json\n{", "ticks": "`", "reasoning": "<think></think>", "open reasoning": "<think>", "tags": "</", "less than": "<",
		"escapes": `{\`, "wraps": `{"a":"{\"a\":\"`, "drafts": `{"status":"success","message":"m"}</think>`, "spaces": "{     ",
	} {
		texts[name] = part
		texts["reasoning with "+name] = "<think>\x00" + part
	}
	for name, part := range map[string]string{
		"quotes": `"`, "quotes and commas": `",`, "quotes and braces": `" }`, "quotes and comments": `"/*`, "quotes and lines": `"//`,
		"quotes and space": `"       `, "quotes and keys": `"a": `, "escapes": `\"`, "broken escapes": `\u12`, "newlines": "\n",
	} {
		texts["message of "+name] = begin + "\x00" + part
	}
	return texts
}

// grown returns the text with its last part repeated up to about n bytes.
func grown(text string, n int) string {
	begin, part, found := strings.Cut(text, "\x00")
	if !found {
		begin, part = "", text
	}
	return begin + strings.Repeat(part, n/len(part))
}

func TestTheDecoderReadsEveryByteABoundedNumberOfTimes(t *testing.T) {
	for name, text := range hostileTexts() {
		t.Run(name, func(t *testing.T) {
			for _, n := range []int{1 << 10, 1 << 16} {
				text := grown(text, n)
				var d Decoder
				for i := 0; i < len(text); i += 4 {
					d.Write(text[i:min(i+4, len(text))])
				}
				d.Close()
				if d.work > 3*share*len(text) {
					t.Errorf("%d bytes read for %d", d.work, len(text))
				}
			}
		})
	}
}

func TestWhatIsShownIsAFewHundredBytesLateAtMost(t *testing.T) {
	for name, c := range map[string]struct{ begin, part string }{
		"a long message":              {`{"thought":"t","status":"success","data":{},"message":"`, "It is so, and so is that. "},
		"a message after the data":    {`{"status":"success","data":{"list":[` + strings.Repeat(`"an item of the list", `, 350) + `"end"]},"message":"`, "It is so. "},
		"quotes that are not escaped": {`{"thought":"t","status":"success","data":{},"message":"`, `He said "so" and went on, and on, and on. `},
		"prose":                       {"", "Use {name} and f(x) { return x } there. "},
		"reasoning":                   {"<think>", "I think that x < y. "},
	} {
		text := grown(c.begin+"\x00"+c.part, 100<<10)
		var d Decoder
		shown := 0
		for i := 0; i < len(text); i += 4 {
			for _, delta := range d.Write(text[i:min(i+4, len(text))]) {
				if delta.Reset {
					t.Fatalf("%s: reset at byte %d", name, i)
				}
				if delta.Text != "t" {
					shown += len(delta.Text)
				}
			}
			if late := i - len(c.begin) - shown; late > 350 {
				t.Fatalf("%s: %d bytes late at byte %d", name, late, i)
			}
		}
	}
}

// The time per byte of these is to be the same.
func BenchmarkParseHostile(b *testing.B) {
	for name, text := range hostileTexts() {
		for size, n := range map[string]int{"64KB": 64 << 10, "1MB": 1 << 20} {
			text := grown(text, n)
			b.Run(name+"/"+size, func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					if _, err := Parse(text); err != nil {
						continue
					}
				}
			})
		}
	}
}
