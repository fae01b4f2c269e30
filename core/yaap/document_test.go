package yaap_test

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core/yaap"
)

var frame = regexp.MustCompile("(?s)```json ([a-z-]+) ?(\\d*)\n(.*?)```")

// Each frame of the contract is what the room reads, to its last key.
func TestTheFramesOfTheDocumentAreReadAsTheyStand(t *testing.T) {
	raw, err := os.ReadFile("../../docs/yaap.md")
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]func() any{
		"child-hello": func() any { return new(yaap.ChildHello) }, "hello": func() any { return new(yaap.Hello) },
		"welcome": func() any { return new(yaap.Welcome) }, "next": func() any { return new(yaap.Next) },
		"events": func() any { return new(yaap.Events) }, "progress": func() any { return new(yaap.Progress) },
		"reply": func() any { return new(yaap.Reply) }, "bid-request": func() any { return new(yaap.BidRequest) },
		"bid-answer": func() any { return new(yaap.BidAnswer) }, "goodbye": func() any { return new(yaap.Goodbye) },
		"refusal": func() any { return new(yaap.Refusal) },
	}
	seen := map[string]bool{}
	for _, m := range frame.FindAllStringSubmatch(string(raw), -1) {
		kind, n, text := m[1], m[2], m[3]
		seen[kind] = true
		if kinds[kind] == nil {
			t.Errorf("%s is no frame", kind)
			continue
		}
		d := json.NewDecoder(strings.NewReader(text))
		d.DisallowUnknownFields()
		into := kinds[kind]()
		if err := d.Decode(into); err != nil {
			t.Errorf("%s: %v\n%s", kind, err, text)
			continue
		}
		if hello, ok := into.(*yaap.Hello); ok {
			if err := yaap.CheckName(hello.Name); err != nil {
				t.Error(err)
			}
		}
		if kind == "bid-answer" {
			var data map[string]any
			count, _ := strconv.Atoi(n)
			if err := json.Unmarshal([]byte(text), &data); err != nil {
				t.Fatal(err)
			}
			if _, err := yaap.ReadBids(data, count); err != nil {
				t.Errorf("%v\n%s", err, text)
			}
		}
	}
	for kind := range kinds {
		if !seen[kind] {
			t.Errorf("the document has no frame of %s", kind)
		}
	}
	for _, said := range []int{yaap.MaxDescription, yaap.MaxTexts, yaap.MaxReads, yaap.PollMS} {
		if text := strconv.Itoa(said); !bytes.Contains(bytes.ReplaceAll(raw, []byte("1 024"), []byte("1024")), []byte(text)) {
			t.Errorf("the document does not say %s", text)
		}
	}
}
