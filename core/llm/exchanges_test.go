package llm_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/llm"
)

func ask(run, text string) llm.Request {
	return llm.Request{Scope: core.Scope{Run: run}, System: "be brief", Messages: []core.Message{{Role: core.RoleUser, Text: text}}}
}

func TestTheLastRequestsAreKeptWithWhatCameBack(t *testing.T) {
	var x llm.Exchanges
	x.Asked("1", "m", ask("r", "how much?"))
	x.Asked("1", "m", ask("other", "how many?"))
	x.Answered("r", "1", core.Message{Text: "half"}, errors.New("lost"))
	x.Answered("nobody", "1", core.Message{}, nil)
	got, ok := x.Find("r", "1")
	if !ok || got.System != "be brief" || got.Messages[0].Text != "how much?" || got.Answer.Text != "half" || got.Error != "lost" {
		t.Errorf("%v %+v", ok, got)
	}
	if other, ok := x.Find("other", "1"); !ok || other.Answer != nil {
		t.Errorf("%v %+v", ok, other)
	}
}

func TestWhatIsKeptOfRequestsIsBounded(t *testing.T) {
	var x llm.Exchanges
	kept := func(n int) (total int) {
		for i := range n {
			if _, ok := x.Find(fmt.Sprint("r", i), "1"); ok {
				total++
			}
		}
		return total
	}
	for i := range 100 {
		x.Asked("1", "m", ask(fmt.Sprint("r", i), "how much?"))
	}
	if n := kept(100); n != 64 {
		t.Errorf("%d short ones are kept", n)
	}
	for i := range 100 {
		x.Asked("1", "m", ask(fmt.Sprint("r", i), strings.Repeat("x", 1<<20)))
	}
	if n := kept(100); n != 7 {
		t.Errorf("%d of 1 MiB are kept", n)
	}
	x.Answered("r99", "1", core.Message{Text: strings.Repeat("x", 9<<20)}, nil)
	if _, ok := x.Find("r99", "1"); !ok || kept(100) != 1 {
		t.Errorf("of one that is too long, %d are kept", kept(100))
	}
}

func TestAPictureIsKeptByItsName(t *testing.T) {
	var x llm.Exchanges
	req := ask("r", "what is this?")
	req.Messages[0].Files = []core.File{{Name: "heron.png", Data: []byte("png")}}
	x.Asked("1", "m", req)
	got, _ := x.Find("r", "1")
	if f := got.Messages[0].Files[0]; f.Name != "heron.png" || f.Data != nil {
		t.Errorf("kept as %+v", f)
	}
	if req.Messages[0].Files[0].Data == nil {
		t.Error("the model is not sent it")
	}
}

func TestNothingIsKeptOfWhatIsForgotten(t *testing.T) {
	var x llm.Exchanges
	x.Asked("1", "m", ask("r", "how much?"))
	x.Forget()
	if _, ok := x.Find("r", "1"); ok {
		t.Error("it is still there")
	}
	x.Asked("2", "m", ask("r", "how many?"))
	if _, ok := x.Find("r", "2"); !ok {
		t.Error("the next one is not kept")
	}
}

func TestWhoKeepsNothingIsAskedForNothing(t *testing.T) {
	var x *llm.Exchanges
	x.Asked("1", "m", ask("r", "how much?"))
	x.Answered("r", "1", core.Message{}, nil)
	x.Forget()
	if _, ok := x.Find("r", "1"); ok {
		t.Error("it has something")
	}
}
