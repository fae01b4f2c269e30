package agent

import (
	"context"
	"slices"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/core/userfile"
)

const maxPictures = 8 // of a request; of the last questions

// pictured reads the pictures of a conversation for a model that sees them. Of those that
// it is not shown it is told.
func pictured(ctx context.Context, model llm.Model, messages []core.Message) []core.Message {
	left := -1 // not known yet
	for i := range slices.Backward(messages) {
		m := &messages[i]
		if len(m.Files) > 0 && left < 0 {
			if left = 0; llm.AcceptsImages(ctx, model) {
				left = maxPictures
			}
		}
		var seen []core.File
		for _, f := range m.Files {
			var err error
			if left > 0 {
				f.Data, err = userfile.Read(f.Path, core.MaxPicture)
			}
			if left <= 0 || err != nil {
				m.Text += "\n[You are not shown the picture " + f.Name + ".]"
				continue
			}
			left--
			seen = append(seen, f)
		}
		m.Files = seen
	}
	return messages
}
