package join

import (
	"bufio"
	"bytes"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
)

const (
	maxWaiting = 1024 // notices of the command that nobody has taken yet
	maxBody    = maxMessage
)

// httpAdapter is an MCP server on standard input and output as one over HTTP, for one client:
// requests go in by POST and are answered there; what the server says without being
// asked goes to the stream of GET.
type httpAdapter struct {
	token string

	writing sync.Mutex
	in      io.Writer

	mu      sync.Mutex
	open    map[string]chan []byte // by the id of the request that waits
	notices [][]byte               // that wait for the stream
	more    chan struct{}          // holds a token when there are notices
	over    chan struct{}          // closed when the command says nothing more
}

func newHTTPAdapter(in io.Writer) *httpAdapter {
	return &httpAdapter{in: in, open: map[string]chan []byte{}, more: make(chan struct{}, 1), over: make(chan struct{})}
}

// message is what the adapter reads of one.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
}

// read takes what the command says, until it says nothing more.
func (f *httpAdapter) read(out io.Reader) error {
	defer close(f.over)
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, maxMessage)
	for lines.Scan() {
		line := bytes.TrimSpace(lines.Bytes())
		var m message
		if json.Unmarshal(line, &m) != nil {
			continue // it is no message: the command may log there
		}
		line = bytes.Clone(line)
		f.mu.Lock()
		if waits := f.open[string(m.ID)]; m.Method == "" && waits != nil {
			delete(f.open, string(m.ID))
			waits <- line // it has room
		} else if m.Method != "" && len(f.notices) < maxWaiting {
			f.notices = append(f.notices, line)
			select {
			case f.more <- struct{}{}:
			default:
			}
		}
		f.mu.Unlock()
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("it says what cannot be passed on: %w", err)
	}
	return nil
}

// ServeHTTP implements [http.Handler].
func (f *httpAdapter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Origin") != "" || subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), []byte("Bearer "+f.token)) != 1 {
		http.Error(w, "this is for a room alone", http.StatusForbidden)
		return
	}
	switch r.Method {
	case http.MethodPost:
		f.post(w, r)
	case http.MethodGet:
		f.stream(w, r)
	case http.MethodDelete:
		w.WriteHeader(http.StatusOK)
	default:
		w.WriteHeader(http.StatusMethodNotAllowed)
	}
}

// post passes a message on and, where it is a request, its answer back.
func (f *httpAdapter) post(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var m message
	var line bytes.Buffer
	if err == nil {
		err = errors.Join(json.Unmarshal(body, &m), json.Compact(&line, body))
	}
	if err != nil {
		http.Error(w, "that is no message", http.StatusBadRequest)
		return
	}
	line.WriteByte('\n')
	var answer chan []byte
	if len(m.ID) > 0 && m.Method != "" {
		answer = make(chan []byte, 1)
		f.mu.Lock()
		f.open[string(m.ID)] = answer
		f.mu.Unlock()
		defer func() {
			f.mu.Lock()
			delete(f.open, string(m.ID))
			f.mu.Unlock()
		}()
	}
	f.writing.Lock()
	_, err = f.in.Write(line.Bytes())
	f.writing.Unlock()
	switch {
	case err != nil:
		http.Error(w, "the command does not take it", http.StatusBadGateway)
		return
	case answer == nil:
		w.WriteHeader(http.StatusAccepted)
		return
	}
	select {
	case got := <-answer:
		w.Header().Set("Content-Type", "application/json")
		if m.Method == "initialize" {
			w.Header().Set("Mcp-Session-Id", f.token[:16])
		}
		_, _ = w.Write(got) // who asked may have gone
	case <-f.over:
		http.Error(w, "the command has ended", http.StatusBadGateway)
	case <-r.Context().Done():
	}
}

// stream passes on what the command says without being asked.
func (f *httpAdapter) stream(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	control := http.NewResponseController(w)
	w.WriteHeader(http.StatusOK)
	_ = control.Flush() // it may be gone
	for {
		f.mu.Lock()
		notices := f.notices
		f.notices = nil
		f.mu.Unlock()
		for _, line := range notices {
			if _, err := fmt.Fprintf(w, "data: %s\n\n", line); err != nil {
				return
			}
		}
		if control.Flush() != nil {
			return
		}
		select {
		case <-f.more:
		case <-f.over:
			return
		case <-r.Context().Done():
			return
		}
	}
}
