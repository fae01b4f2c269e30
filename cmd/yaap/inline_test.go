package main

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/yaap-chat/yaap/core/llm/ollama/ollamatest"
	"github.com/yaap-chat/yaap/core/must"
)

// painter is an MCP server, in another language and without our kit, that answers with a
// picture.
const painter = `import json, sys
for line in sys.stdin:
    m = json.loads(line)
    if "id" not in m:
        continue
    r = {}
    if m["method"] == "initialize":
        r = {"protocolVersion": m["params"]["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": {"name": "paint", "version": "1"}}
    elif m["method"] == "tools/list":
        r = {"tools": [{"name": "paint", "description": "Paints.", "inputSchema": {"type": "object", "properties": {"prompt": {"type": "string"}}}, "annotations": {"readOnlyHint": True}}]}
    elif m["method"] == "tools/call":
        r = {"content": [{"type": "text", "text": "Painted."}, {"type": "image", "mimeType": "image/png", "data": "PICTURE"}]}
    print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "result": r}), flush=True)
`

// square is a picture of one colour.
func square(t *testing.T, side int) []byte {
	t.Helper()
	img := image.NewNRGBA(image.Rect(0, 0, side, side))
	draw.Draw(img, img.Rect, image.NewUniform(color.NRGBA{200, 30, 60, 255}), image.Point{}, draw.Src)
	var b bytes.Buffer
	must.Do(t, png.Encode(&b, img))
	return b.Bytes()
}

func TestThePictureOfAnExpertIsSeenInTheConversationAndWhenItIsOpenedAgain(t *testing.T) {
	home := t.TempDir()
	path := filepath.Join(home, "paint.py")
	write(t, path, string(bytes.ReplaceAll([]byte(painter), []byte("PICTURE"), []byte(base64.StdEncoding.EncodeToString(square(t, 40))))))

	s := openScreenIn(t, home, 120, 40, options{})
	s.see(`calc, clock, data, files, git are in the room`)
	s.enter("/experts add python3 " + path)
	s.see(`→ paint joined`)
	s.enter("@paint a square")
	s.see(`Painted\.`)
	s.painted()
	s.enter("/new")
	s.see(`Ask the room`)
	_, _ = io.WriteString(s.in, "\x13") // the sessions
	s.see(`@paint a square +\d messages`)
	_, _ = io.WriteString(s.in, "\r")
	s.see(`Painted\.`)
	s.painted()
	_, _ = io.WriteString(s.in, "\tGo")
	s.see(`there is no desktop here to open image-\w+\.png on`)
}

// painted waits until a picture of one colour stands on the screen.
func (s *screen) painted() {
	s.t.Helper()
	s.until("red square", func(string) bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		red := 0
		for y := range s.emu.Height() {
			for x := range s.emu.Width() {
				if cell := s.emu.CellAt(x, y); cell != nil && cell.Content == "▀" && cell.Style.Fg == (color.RGBA{200, 30, 60, 255}) && cell.Style.Bg == cell.Style.Fg {
					red++
				}
			}
		}
		return red == 24*12
	})
}

func TestAPictureThatTheUserAttachesIsSeenAndLargeOnesAreShrunkForTheModel(t *testing.T) {
	model := ollamatest.New(t, ollamatest.Reply{Text: `{"thought": "", "status": "success", "data": {}, "message": "A square."}`})
	model.SetModels(ollamatest.Model{Name: "scripted:1b", Capabilities: []string{"completion", "vision", "tools"}})
	home := t.TempDir()
	write(t, filepath.Join(home, "XDG_CONFIG_HOME", "yaap", "config.yaml"), "builtin: []\nmemory: false\nmodel: ollama/scripted:1b\nproviders: {ollama: {url: "+model.URL+"}}\n")
	write(t, filepath.Join(home, "large.png"), string(square(t, 2000)))
	s := openScreenIn(t, home, 100, 40, options{})
	s.see(`ask the room`)
	s.enter("what is on @large.png?")
	s.see(`A square\.`)
	s.see(`of large\.png the model is shown a picture of 1568 pixels`)
	s.painted()
	image64 := regexp.MustCompile(`"images":\["([^"]+)"`).FindSubmatch(model.Requests()[0].Raw)
	if image64 == nil {
		t.Fatal("the model is shown no picture")
	}
	raw := must.Get(base64.StdEncoding.DecodeString(string(image64[1])))(t)
	if size, kind, err := image.DecodeConfig(bytes.NewReader(raw)); err != nil || kind != "png" || size.Width != 1568 || size.Height != 1568 {
		t.Errorf("the model is shown a %s of %d×%d (%v)", kind, size.Width, size.Height, err)
	}
}
