package wire

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core/must"
)

func TestAnAnswerStandsBesideItsRequest(t *testing.T) {
	tap := new(Tap)
	defer tap.Capture()()
	calc, other := tap.Line("calc", "stdio"), tap.Line("clock", "stdio")
	see(calc, Out, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{}}`)
	see(other, Out, `{"jsonrpc":"2.0","id":7,"method":"tools/list"}`)
	see(calc, In, `{"jsonrpc":"2.0","id":7,"method":"ping"}`) // its own 7
	see(calc, In, `{"result":{"content":[]},"jsonrpc":"2.0","id":7}`)
	see(calc, Out, `{"jsonrpc":"2.0","id":7,"result":{}}`)
	see(other, In, `{"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"no"}}`)
	see(calc, In, `{"jsonrpc":"2.0","method":"notifications/progress"}`)
	see(calc, In, `hello there`)
	var got []string
	for _, f := range tap.Since(0) {
		got = append(got, strings.Join([]string{f.Who, string(f.Dir), string(f.Kind), f.Method, f.ID, strings.Repeat("^", int(f.To))}, " ")) //nolint:gosec // they are few
	}
	want := []string{
		"calc out request tools/call 7 ", "clock out request tools/list 7 ", "calc in request ping 7 ",
		"calc in answer tools/call 7 ^", "calc out answer ping 7 ^^^", "clock in error tools/list 7 ^^",
		"calc in notification notifications/progress  ", "calc in noise   ",
	}
	if a, b := strings.Join(got, "\n"), strings.Join(want, "\n"); a != b {
		t.Errorf("got:\n%s\nwant:\n%s", a, b)
	}
	if last := tap.Since(6); len(last) != 2 || last[0].Seq != 7 {
		t.Errorf("since 6 there are %v", last)
	}
}

func see(l *Line, dir Direction, text string) { l.RecordRPC(dir, []byte(text+"\n"), len(text)+1) }

func TestNothingIsKeptAndNothingIsDoneWhileNobodyLooks(t *testing.T) {
	tap := new(Tap)
	line := tap.Line("calc", "stdio")
	raw := []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call"}`)
	if n := testing.AllocsPerRun(100, func() { line.RecordRPC(Out, raw, len(raw)) }); n > 0 {
		t.Errorf("a frame that nobody looks at costs %v allocations", n)
	}
	end := tap.Capture()
	line.RecordRPC(Out, raw, len(raw))
	end()
	end() // twice is once
	line.RecordRPC(Out, raw, len(raw))
	if got := tap.Since(0); len(got) != 1 || tap.On() {
		t.Errorf("%d frames are kept, on is %v", len(got), tap.On())
	}
	var none *Tap
	none.Line("calc", "stdio").RecordRPC(Out, raw, len(raw))
	var nobody *Line
	nobody.RecordRPC(Out, raw, len(raw))
}

func TestSecretsAndLeasesAreMasked(t *testing.T) {
	const key = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
	tap := new(Tap)
	defer tap.Capture()()
	line := tap.Line("calc", "stdio")
	see(line, Out, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":{"prompt":"use `+key+`","password":"Tr0ub4dor&3xyz"}}}`)
	see(line, Out, `{"jsonrpc":"2.0","id":2,"result":{"structuredContent":{"lease":"0123456789abcdef"},"content":[{"type":"text","text":"{\"lease\":\"0123456789abcdef\"}"}]}}`)
	see(line, In, `no message: `+key)
	see(line, Out, `{"jsonrpc":"2.0","id":"`+key+`","method":"`+key+`"}`)
	var all strings.Builder
	for _, f := range tap.Since(0) {
		line := must.Get(json.Marshal(f))(t)
		all.Write(line)
	}
	for _, secret := range []string{key, "Tr0ub4dor", "0123456789abcdef"} {
		if strings.Contains(all.String(), secret) {
			t.Errorf("%s is in %s", secret, all.String())
		}
	}
	if n := strings.Count(all.String(), "[secret: "); n < 6 {
		t.Errorf("%d marks are in %s", n, all.String())
	}
}

func TestALongFrameIsCutAndNoHalfSecretIsLeft(t *testing.T) {
	const key = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
	tap := new(Tap)
	defer tap.Capture()()
	line := tap.Line("calc", "stdio")
	for at := range 60 {
		for _, end := range []int{MaxText, MaxText + margin} {
			text := `{"jsonrpc":"2.0","id":1,"result":"` + strings.Repeat(key+" ", 400) // their marks are shorter than they are
			text += strings.Repeat("a ", (end-len(text)-at)/2) + key
			see(line, In, text+strings.Repeat(" b", 100_000)+`"}`)
		}
	}
	for _, f := range tap.Since(0) {
		if !f.Cut || f.Size < 200_000 || len(f.Text) > MaxText || f.Kind != Answer {
			t.Fatalf("cut is %v, size %d, %d bytes are kept of a frame that is %s", f.Cut, f.Size, len(f.Text), f.Kind)
		}
		if strings.Contains(string(f.Text), "ghp_") {
			t.Fatalf("a part of a secret is left: %s", f.Text[len(f.Text)-100:])
		}
	}
}

func TestAFloodIsBounded(t *testing.T) {
	tap := new(Tap)
	defer tap.Capture()()
	line := tap.Line("calc", "stdio")
	raw := []byte(`{"method":"m"}`)
	for range 1000 {
		line.RecordRPC(In, raw, len(raw))
	}
	tap.mu.Lock()
	for range 999_000 { // without the reading, which takes a hundred times as long
		tap.add(Frame{Dir: In, Method: "m", Text: Text(raw)})
	}
	tap.mu.Unlock()
	got := tap.Since(0)
	if len(got) != MaxFrames || got[len(got)-1].Seq != 1_000_000 || cap(tap.frames) > 4*MaxFrames {
		t.Errorf("%d frames are kept in %d, the last is %d", len(got), cap(tap.frames), got[len(got)-1].Seq)
	}
	big := []byte(`{"jsonrpc":"2.0","method":"m","params":"` + strings.Repeat("word ", MaxText/5-20) + `"}`)
	for range 2 * MaxKept / len(big) {
		line.RecordRPC(In, big, len(big))
	}
	if tap.size > MaxKept || len(tap.Since(0)) < MaxKept/len(big)/2 {
		t.Errorf("%d bytes are kept, %d frames", tap.size, len(tap.Since(0)))
	}
	for range maxOpen + 10 {
		see(line, Out, `{"id":`+strings.Repeat("1", len(line.open)%150+1)+`,"method":"m"}`)
	}
	if len(line.open) > maxOpen {
		t.Errorf("%d requests are remembered", len(line.open))
	}
}

func TestTheFileIsForItsOwnerAloneAndIsAddedTo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wire.jsonl")
	must.Do(t, os.WriteFile(path, []byte("{}\n"), 0o644)) //nolint:gosec // others can read it on purpose
	file := must.Get(Create(path))(t)
	tap := new(Tap)
	tap.Subscribe(file.Write)
	see(tap.Line("calc", "stdio"), In, "{\"id\":1,\"method\":\"m\u202e\u009b2J\"}")
	must.Do(t, file.Close())
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("its mode is %v, %v", info.Mode(), err)
	}
	text, err := os.ReadFile(path) //nolint:gosec // a file of the test
	lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	if err != nil || len(lines) != 2 || !json.Valid(lines[1]) || bytes.ContainsAny(lines[1], "\u009b\u202e") {
		t.Errorf("it holds %q, %v", text, err)
	}
	if _, err := Create(os.DevNull); err == nil {
		t.Error("what is no file is taken for one")
	}
}
