package safe

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

const (
	resetPen  = "\x1b[m"
	resetLink = "\x1b]8;;\x1b\\"

	// Longer sequences than these are nobody's honest work.
	maxSGR    = 64
	maxParams = 16
	maxPen    = 128
	maxLink   = 2048
)

// Styled returns coloured text of any number of lines with nothing but text as
// [Text] leaves it, 7-bit SGR sequences, and OSC 8 links to http, https and
// mailto targets. Each line stands for itself: it sets the colours and the link
// that it begins with and ends with none open. Blanks at its end are gone.
//
// Styled is the last gate before a terminal and trusts no renderer: markdown may
// spell an escape as &#27;. Styled(Styled(s)) is Styled(s).
func Styled(s string) string {
	s = strings.ToValidUTF8(s, replacement)
	w := styled{out: make([]byte, 0, len(s)/2)}
	for len(s) > 0 {
		n := 1
		switch c := s[0]; {
		case c == '\n':
			w.endLine()
			w.out = append(w.out, '\n')
		case c == '\x1b' || c == 0xc2 && len(s) > 1 && 0x80 <= s[1] && s[1] < 0xa0:
			n = sequence(s)
			w.control(s[:n])
		case ' ' <= c && c < 0x7f && (len(s) == 1 || s[1] < utf8.RuneSelf):
			w.put(s[:1])
		case c < utf8.RuneSelf && (c < ' ' || c == 0x7f):
			w.put(Text(s[:1]))
		default:
			cluster, _ := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
			n = len(cluster)
			w.put(Text(cluster))
		}
		s = s[n:]
	}
	w.endLine()
	return string(w.out)
}

// brush is what text is written with: the SGR sequences since the last reset,
// and the OSC 8 sequence of the open link.
type brush struct{ pen, link string }

// styled writes lines. A brush that is taken up is written when the next
// character needs it, so unused ones cost nothing.
type styled struct {
	out    []byte
	want   brush // what the input has set
	have   brush // what out has set on this line
	keep   int   // out up to the last character of this line that is no blank
	kept   brush // have at keep
	inLine bool
}

func (w *styled) put(text string) {
	if text == "" {
		return
	}
	if !w.inLine {
		w.inLine, w.keep = true, len(w.out)
	}
	if w.have.link != w.want.link {
		if w.want.link == "" {
			w.out = append(w.out, resetLink...)
		}
		w.out = append(w.out, w.want.link...)
	}
	if w.have.pen != w.want.pen {
		more, ok := strings.CutPrefix(w.want.pen, w.have.pen)
		if !ok {
			w.out = append(w.out, resetPen...)
			more = w.want.pen
		}
		w.out = append(w.out, more...)
	}
	w.have = w.want
	w.out = append(w.out, text...)
	if text != " " && strings.TrimSpace(text) != "" {
		w.keep, w.kept = len(w.out), w.have
	}
}

func (w *styled) endLine() {
	if !w.inLine {
		return
	}
	w.out = w.out[:w.keep]
	if w.kept.pen != "" {
		w.out = append(w.out, resetPen...)
	}
	if w.kept.link != "" {
		w.out = append(w.out, resetLink...)
	}
	w.have, w.kept, w.inLine = brush{}, brush{}, false
}

// control takes an escape sequence of the input.
func (w *styled) control(seq string) {
	if params, ok := sgr(seq); ok {
		switch {
		case strings.Trim(params, "0") == "":
			w.want.pen = ""
		case strings.HasPrefix(params, "0;") || params[0] == ';':
			w.want.pen = seq
		case len(w.want.pen)+len(seq) > maxPen:
			w.want.pen = seq
		default:
			w.want.pen += seq
		}
		return
	}
	if link, ok := hyperlink(seq); ok {
		w.want.link = link
	}
}

// sgr returns the parameters of a 7-bit SGR sequence.
func sgr(seq string) (params string, ok bool) {
	if len(seq) > maxSGR || !strings.HasPrefix(seq, "\x1b[") || !strings.HasSuffix(seq, "m") {
		return "", false
	}
	params = seq[2 : len(seq)-1]
	separators := 0
	for i := range len(params) {
		switch c := params[i]; {
		case c == ';' || c == ':':
			separators++
		case c < '0' || c > '9':
			return "", false
		}
	}
	return params, separators < maxParams
}

// hyperlink returns the sequence that opens the link of an OSC 8 sequence. Any
// target that is not allowed closes the link that is open, as an empty one does.
func hyperlink(seq string) (open string, ok bool) {
	body, ok := strings.CutPrefix(seq, "\x1b]8;")
	if !ok {
		return "", false
	}
	body, ended := strings.CutSuffix(body, "\x1b\\")
	if !ended {
		body, ended = strings.CutSuffix(body, "\a")
	}
	params, target, ok := strings.Cut(body, ";")
	if !ended || !ok || len(body) > maxLink || !printable(params+target) || !allowed(target) {
		return "", true
	}
	return "\x1b]8;" + params + ";" + target + "\x1b\\", true
}

func printable(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

func allowed(target string) bool {
	scheme, rest, ok := strings.Cut(target, ":")
	if !ok || rest == "" {
		return false
	}
	switch strings.ToLower(scheme) {
	case "http", "https":
		return strings.HasPrefix(rest, "//")
	case "mailto":
		return true
	}
	return false
}
