// Package foreign reads what other programs remember: the exports of ChatGPT and of
// Claude, notes in Markdown, conversations as lines of JSON.
//
// What is read is untrusted: files are bounded, links are not followed, and whoever
// stores what is said checks it once more.
package foreign

import (
	"archive/zip"
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/userfile"
)

const (
	maxOne  = 64 << 20 // bytes of one conversation, or of one line
	maxFile = 4 << 30  // bytes that come out of an archive
	peeked  = 64 << 10 // bytes by which a file is told
)

// Message is a message of a conversation that was held elsewhere, or a part of a note.
type Message struct {
	ID     string // the same whenever it is read
	Thread string // the conversation, or the note, that it is part of
	Title  string // of that
	Role   core.Role
	Text   string
	Time   time.Time // zero: it is not known
	Tags   map[string]string
}

// Form is a kind of file.
type Form string

// The forms.
const (
	Yaap     Form = "yaap" // what the store itself exports; [Read] does not read it
	ChatGPT  Form = "ChatGPT"
	Claude   Form = "Claude"
	Markdown Form = "Markdown"
	Lines    Form = "lines of JSON"
)

// Read returns what is said in a file, an archive or a directory, and its form. An error
// in the sequence is its last, but for a [LeftOut].
func Read(name string) (Form, iter.Seq2[Message, error], error) {
	info, err := os.Stat(name)
	if err != nil {
		return "", nil, err
	}
	if info.IsDir() || strings.EqualFold(path.Ext(name), ".md") || strings.EqualFold(path.Ext(name), ".markdown") {
		return Markdown, notes(name), nil
	}
	form, err := formOf(name)
	if err != nil || form == Yaap {
		return form, nil, err
	}
	return form, func(yield func(Message, error) bool) {
		err := within(name, func(r io.Reader) error {
			if form == Lines {
				return lines(r, name, yield)
			}
			return conversations(r, form, yield)
		})
		if err != nil && !errors.Is(err, errEnough) {
			yield(Message{}, err)
		}
	}, nil
}

// errEnough says that nobody wants more.
var errEnough = errors.New("enough")

// within opens a file, or conversations.json in an archive.
func within(name string, read func(io.Reader) error) error {
	f, err := userfile.Open(name)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // it is only read
	if !strings.EqualFold(path.Ext(name), ".zip") {
		return read(f)
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	archive, err := zip.NewReader(f, info.Size())
	if err != nil {
		return err
	}
	for _, one := range archive.File {
		if path.Base(one.Name) != "conversations.json" {
			continue
		}
		r, err := one.Open()
		if err != nil {
			return err
		}
		defer r.Close() //nolint:errcheck // it is only read
		return read(io.LimitReader(r, maxFile))
	}
	return errors.New("there is no conversations.json in the archive")
}

// formOf tells a file by its beginning.
func formOf(name string) (form Form, err error) {
	err = within(name, func(r io.Reader) error {
		head, err := io.ReadAll(io.LimitReader(r, peeked))
		if err != nil {
			return err
		}
		head = bytes.TrimSpace(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")))
		switch {
		case bytes.HasPrefix(head, []byte(`{"yaap_export"`)):
			form = Yaap
		case bytes.HasPrefix(head, []byte("[")) && bytes.Contains(head, []byte(`"mapping"`)):
			form = ChatGPT
		case bytes.HasPrefix(head, []byte("[")) && bytes.Contains(head, []byte(`"chat_messages"`)):
			form = Claude
		case bytes.HasPrefix(head, []byte("{")):
			form = Lines
		default:
			return errors.New("it is no export of yaap, ChatGPT or Claude, no Markdown and no lines of JSON")
		}
		return nil
	})
	return form, err
}

// conversations reads an array of conversations, one at a time.
func conversations(r io.Reader, form Form, yield func(Message, error) bool) error {
	limited := &io.LimitedReader{R: bufio.NewReader(r), N: maxOne}
	decoder := json.NewDecoder(limited)
	if _, err := decoder.Token(); err != nil {
		return err
	}
	for n := 1; decoder.More(); n++ {
		var one interface{ said() []Message } = new(claude)
		if form == ChatGPT {
			one = new(chatGPT)
		}
		if err := decoder.Decode(one); err != nil {
			if limited.N <= 0 {
				err = fmt.Errorf("it has more than %d MiB", maxOne>>20)
			}
			return fmt.Errorf("conversation %d: %w", n, err)
		}
		limited.N = maxOne
		for _, s := range one.said() {
			if !yield(s, nil) {
				return errEnough
			}
		}
	}
	_, err := decoder.Token()
	return err
}

// chatGPT is a conversation in the export of ChatGPT: a tree of messages, of which the
// branch counts that was shown last.
type chatGPT struct {
	ID             string  `json:"id"`
	ConversationID string  `json:"conversation_id"`
	Title          string  `json:"title"`
	Created        float64 `json:"create_time"`
	Current        string  `json:"current_node"`
	Mapping        map[string]struct {
		Parent  string `json:"parent"`
		Message *struct {
			ID     string `json:"id"`
			Author struct {
				Role string `json:"role"`
			} `json:"author"`
			Created float64 `json:"create_time"`
			Content struct {
				Parts []any `json:"parts"`
			} `json:"content"`
		} `json:"message"`
	} `json:"mapping"`
}

func (c *chatGPT) said() (list []Message) {
	seen := map[string]bool{}
	for at := c.Current; at != "" && !seen[at]; at = c.Mapping[at].Parent {
		seen[at] = true
		m := c.Mapping[at].Message
		if m == nil {
			continue
		}
		var parts []string
		for _, part := range m.Content.Parts {
			if text, ok := part.(string); ok {
				parts = append(parts, text)
			}
		}
		list = append(list, Message{ID: m.ID, Title: c.Title, Role: roleOf(m.Author.Role), Text: strings.Join(parts, "\n"), Time: unix(cmp.Or(m.Created, c.Created))})
	}
	return inOrder(list, "chatgpt", cmp.Or(c.ConversationID, c.ID))
}

// claude is a conversation in the export of Claude.
type claude struct {
	UUID     string `json:"uuid"`
	Name     string `json:"name"`
	Messages []struct {
		UUID    string    `json:"uuid"`
		Sender  string    `json:"sender"`
		Text    string    `json:"text"`
		Created time.Time `json:"created_at"`
		Content []struct {
			Type string `json:"type"`
			Text string `json:"text"`
		} `json:"content"`
	} `json:"chat_messages"`
}

func (c *claude) said() (list []Message) {
	for _, m := range slices.Backward(c.Messages) {
		text := m.Text
		for _, part := range m.Content {
			if m.Text == "" && part.Type == "text" {
				text = strings.TrimSpace(text + "\n" + part.Text)
			}
		}
		list = append(list, Message{ID: m.UUID, Title: c.Name, Role: roleOf(m.Sender), Text: text, Time: m.Created})
	}
	return inOrder(list, "claude", c.UUID)
}

// inOrder are the messages of a conversation that say something, the last of the list
// first.
func inOrder(list []Message, from, thread string) (ordered []Message) {
	for _, s := range slices.Backward(list) {
		if s.Text = strings.TrimSpace(s.Text); s.Text == "" || s.Role == "" {
			continue
		}
		s.Thread = made(from, thread)
		s.ID = made(from, thread, s.ID, fmt.Sprint(len(ordered)))
		ordered = append(ordered, s)
	}
	return ordered
}

// lines reads objects with a role and a text, one a line.
func lines(r io.Reader, name string, yield func(Message, error) bool) error {
	scanner := bufio.NewScanner(r)
	scanner.Buffer(nil, maxOne)
	for n := 1; scanner.Scan(); n++ {
		if len(bytes.TrimSpace(scanner.Bytes())) == 0 {
			continue
		}
		var line struct {
			Role, Content, Text, Thread, Title string
			Time, Timestamp, Created           time.Time
		}
		if err := json.Unmarshal(scanner.Bytes(), &line); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		s := Message{
			Title: line.Title, Role: cmp.Or(roleOf(line.Role), core.RoleUser), Text: strings.TrimSpace(line.Text + line.Content),
			Time: cmp.Or(line.Time, line.Timestamp, line.Created),
		}
		if s.Text == "" {
			continue
		}
		s.Thread, s.ID = made("lines", name, line.Thread), made("lines", line.Thread, fmt.Sprint(n), s.Text)
		if !yield(s, nil) {
			return errEnough
		}
	}
	return scanner.Err()
}

// roleOf is who spoke; empty for a tool or a system, whose words are nobody's.
func roleOf(role string) core.Role {
	switch strings.ToLower(role) {
	case "user", "human":
		return core.RoleUser
	case "assistant", "ai", "model":
		return core.RoleAssistant
	}
	return ""
}

// made is an id that is the same for the same words.
func made(words ...string) string {
	return uuid.NewSHA1(uuid.NameSpaceURL, []byte("yaap:foreign:"+strings.Join(words, "\x00"))).String()
}

func unix(seconds float64) time.Time {
	if seconds <= 0 || seconds > 1e11 {
		return time.Time{}
	}
	return time.UnixMicro(int64(seconds * 1e6))
}
