package tui

import (
	"bytes"
	"io"
	"sync"
)

// keyboard is an input without bounds: the emulator answers the program's
// questions while it draws, and would wait for ever for a reader.
type keyboard struct {
	mu     sync.Mutex
	cond   *sync.Cond
	buf    bytes.Buffer
	closed bool
}

func newKeyboard() *keyboard {
	k := &keyboard{}
	k.cond = sync.NewCond(&k.mu)
	return k
}

func (k *keyboard) Write(p []byte) (int, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.buf.Write(p)
	k.cond.Broadcast()
	return len(p), nil
}

func (k *keyboard) Read(p []byte) (int, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for k.buf.Len() == 0 {
		if k.closed {
			return 0, io.EOF
		}
		k.cond.Wait()
	}
	return k.buf.Read(p)
}

func (k *keyboard) Close() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.closed = true
	k.cond.Broadcast()
	return nil
}
