package link_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/hub"
	"github.com/yaap-chat/yaap/core/hub/link"
	"github.com/yaap-chat/yaap/core/media"
	"github.com/yaap-chat/yaap/core/must"
)

// drawing is a picture of a heron in PNG, in base64.
func drawing(t *testing.T) (raw []byte, text string) {
	t.Helper()
	var b bytes.Buffer
	must.Do(t, png.Encode(&b, image.NewGray(image.Rect(0, 0, 64, 48))))
	return b.Bytes(), base64.StdEncoding.EncodeToString(b.Bytes())
}

// answering is a room with a child that answers with what it is told to, and a
// directory for its files.
func answering(t *testing.T) (dir string, ask func(content string) core.ToolResult) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "files")
	r := openWith(t, &link.Opener{Version: "test", Lookup: os.LookupEnv, Keep: (&media.FileStore{Dir: dir}).Keep})
	must.Do(t, r.Add(t.Context(), hub.Spec{Command: []string{os.Args[0], "child", "shapes"}}))
	r.joined("echo")
	return dir, func(content string) core.ToolResult {
		t.Helper()
		return r.call(t.Context(), "echo", fmt.Sprintf(`{"jsonrpc":"2.0","id":ID,"result":{"content":[%s]}}`, content))
	}
}

func TestAPictureIsPutOnDiskAndNamed(t *testing.T) {
	dir, ask := answering(t)
	raw, text := drawing(t)
	got := ask(`{"type":"text","text":"Here it is."},{"type":"image","mimeType":"image/png","data":"` + text + `"}`)
	if len(got.Files) != 1 {
		t.Fatalf("got %+v", got)
	}
	f := got.Files[0]
	if f.Width != 64 || f.Height != 48 || f.Type != "image/png" || f.Size != len(raw) || filepath.Dir(f.Path) != dir || filepath.Ext(f.Name) != ".png" {
		t.Errorf("it is %+v", f)
	}
	if want := "Here it is.\n[an image: " + f.Name + " · 64×48 · " + fmt.Sprint(len(raw)) + " B]\n" + f.Path; got.Text != want {
		t.Errorf("the model reads %q, want %q", got.Text, want)
	}
	kept, err := os.ReadFile(f.Path)
	if err != nil || !bytes.Equal(kept, raw) {
		t.Errorf("on disk are %d bytes, %v", len(kept), err)
	}
	if info, err := os.Stat(f.Path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("its mode is %v, %v", info.Mode(), err)
	}
}

func TestWhatAFileClaimsIsNotBelieved(t *testing.T) {
	dir, ask := answering(t)
	_, text := drawing(t)
	script := base64.StdEncoding.EncodeToString([]byte("#!/bin/sh\nrm -rf ~\n"))
	for content, want := range map[string]string{
		`{"type":"image","mimeType":"image/png","data":"` + script + `"}`:                                                      "it says that it is image/png, and is text/plain",
		`{"type":"image","mimeType":"image/png","data":"%%%"}`:                                                                 "it is no base64",
		`{"type":"audio","mimeType":"audio/wav","data":"` + text + `"}`:                                                        "and is image/png",
		`{"type":"resource","resource":{"uri":"file:///../../etc/passwd\u001b[31m","blob":"` + text + `"}}`:                    "[a file: ",
		`{"type":"resource","resource":{"uri":"x://run.sh","mimeType":"application/x-sh","blob":"` + script + `"}}`:            "and is text/plain",
		`{"type":"resource_link","name":"the log","uri":"x://log"}`:                                                            "[the log: x://log]",
		`{"type":"image","mimeType":"text/html","data":"` + base64.StdEncoding.EncodeToString([]byte("<html><script>")) + `"}`: "and is text/plain",
	} {
		if got := ask(content); !strings.Contains(got.Text, want) {
			t.Errorf("%s: the model reads %q, want %q", content, got.Text, want)
		}
	}
	for kind, data := range map[string]string{"application/gzip": "\x1f\x8b\x08", "audio/wav": "RIFF\x24\x00\x00\x00WAVE"} {
		blob := base64.StdEncoding.EncodeToString([]byte(data))
		if got := ask(`{"type":"resource","resource":{"uri":"x://it","mimeType":"` + kind + `","blob":"` + blob + `"}}`); strings.Contains(got.Text, "it says") {
			t.Errorf("%s is doubted: %q", kind, got.Text)
		}
	}
	entries := must.Get(os.ReadDir(dir))(t)
	for _, e := range entries {
		if ext := filepath.Ext(e.Name()); !slices.Contains([]string{".png", ".txt", ".gz", ".wav"}, ext) || strings.ContainsAny(e.Name(), "\x1b/") || strings.HasPrefix(e.Name(), ".") {
			t.Errorf("a file is called %q", e.Name())
		}
	}
}
