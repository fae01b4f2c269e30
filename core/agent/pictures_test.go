package agent

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/llm"
)

// eyes is a model that sees, or does not.
type eyes struct {
	llm.Model
	open bool
}

func (e eyes) AcceptsImages(context.Context) bool { return e.open }

func TestAModelIsShownTheLastPicturesAndToldOfTheOthers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "heron.png")
	if err := os.WriteFile(path, []byte("heron"), 0o600); err != nil {
		t.Fatal(err)
	}
	shown := func(model llm.Model, paths ...string) (seen string) {
		var messages []core.Message
		for _, p := range paths {
			messages = append(messages, core.Message{Role: core.RoleUser, Text: "look", Files: []core.File{{Name: "heron.png", Path: p}}})
		}
		for _, m := range pictured(t.Context(), model, messages) {
			switch told := strings.Contains(m.Text, "[You are not shown the picture heron.png.]"); {
			case len(m.Files) == 1 && string(m.Files[0].Data) == "heron" && !told:
				seen += "+"
			case len(m.Files) == 0 && told:
				seen += "-"
			default:
				t.Errorf("a message of %d pictures says %q", len(m.Files), m.Text)
			}
		}
		return seen
	}
	if got := shown(eyes{open: true}, path, path+".gone", path, path, path, path, path, path, path, path); got != "--++++++++" {
		t.Errorf("it is shown %s", got)
	}
	if got := shown(eyes{}, path); got != "-" {
		t.Errorf("a model that sees nothing is shown %s", got)
	}
}
