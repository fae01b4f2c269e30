package room

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"os"
	"path/filepath"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/private"
)

const noticeDir = "told" // in the state directory

// noticeDedup leaves out a notice that says of its subject what was said in an earlier
// room of the same directory: the state directory has a hash of what was said last
// of each. Where nothing is kept, everything is said.
type noticeDedup struct {
	core.Sink
	app *Room
}

// Emit implements [core.Sink]. The event that is returned for what is left out has
// no number.
func (n noticeDedup) Emit(scope core.Scope, body core.Body) core.Event {
	b, ok := body.(core.Notice)
	if !ok || b.About == "" || n.app.Config.Ephemeral.V {
		return n.Sink.Emit(scope, body)
	}
	told, err := toldBefore(n.app.Config.StateDir, n.app.Config.Dir+"\x00"+b.About, b.Text)
	if err != nil {
		n.app.log.Warn("it is not kept what was said", "about", b.About, "err", err)
	}
	if told {
		return core.Event{Scope: scope, Body: body}
	}
	return n.Sink.Emit(scope, body)
}

// toldBefore reports whether text is the last that was said of a subject, and keeps
// that it is now.
func toldBefore(state, about, text string) (bool, error) {
	dir := filepath.Join(state, noticeDir)
	if err := private.Dir(dir); err != nil {
		return false, err
	}
	said := sha256.Sum256([]byte(text))
	path := filepath.Join(dir, core.Hash(about)[:32])
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600) //nolint:gosec // a hash in a directory of our own
	if err != nil {
		return false, err
	}
	last := make([]byte, len(said))
	if n, _ := f.ReadAt(last, 0); bytes.Equal(last[:n], said[:]) {
		return true, f.Close()
	}
	_, err = f.WriteAt(said[:], 0)
	return false, errors.Join(err, f.Close())
}
