package diagram

import (
	"encoding/xml"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// painted is a picture as a reader of XML finds it.
type painted struct {
	width, height int
	names         map[string]int // of elements
	classes       map[string]int
	texts         []string
}

// paintedAs reads a picture, and fails where it holds more than a picture does.
func paintedAs(t *testing.T, svg string) (p painted) {
	t.Helper()
	p.names, p.classes = map[string]int{}, map[string]int{}
	in := xml.NewDecoder(strings.NewReader(svg))
	within := ""
	for {
		token, err := in.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, svg)
		}
		switch token := token.(type) {
		case xml.StartElement:
			within = token.Name.Local
			p.names[within]++
			if !slices.Contains([]string{"svg", "title", "style", "rect", "path", "text"}, within) {
				t.Errorf("it holds <%s>", within)
			}
			for _, a := range token.Attr {
				n, _ := strconv.Atoi(a.Value)
				switch a.Name.Local {
				case "class":
					p.classes[a.Value]++
				case "width":
					p.width = max(p.width, n)
				case "height":
					p.height = max(p.height, n)
				case "d", "x", "y", "rx", "role", "aria-label", "viewBox", "xmlns":
				default:
					t.Errorf("<%s> has %s=%q", within, a.Name.Local, a.Value)
				}
			}
		case xml.CharData:
			if within == "text" && strings.TrimSpace(string(token)) != "" {
				p.texts = append(p.texts, string(token))
			}
		case xml.Comment, xml.ProcInst, xml.Directive:
			t.Errorf("it holds %v", token)
		}
	}
	return p
}

func TestAPictureHasTheBoxesOfTheTextAndTheWordsOnItsEdges(t *testing.T) {
	g := reviewLoop()
	for i := range g.Edges {
		if g.Edges[i].Back {
			g.Edges[i].Times, g.Edges[i].Taken = 2, true
		}
	}
	p := paintedAs(t, SVG(g))
	for _, words := range []string{"✓ collect", "expert files 204 ms", "↻ default ×2", "on_error"} {
		if !slices.Contains(p.texts, words) {
			t.Errorf("%q is not in it: %q", words, p.texts)
		}
	}
	if n := p.classes["box completed"]; n == 0 || p.names["rect"] != len(newPlan(g).nodes)+1 {
		t.Errorf("%d of %d boxes are those of what is completed", n, p.names["rect"])
	}
	if p.classes["edge taken loop"] == 0 || p.classes["head taken"] == 0 {
		t.Errorf("the loop that was gone through does not stand out: %v", p.classes)
	}
}

func TestNoNameIsMoreThanANameInAPicture(t *testing.T) {
	for name, text := range map[string]string{
		"a script":         `<script>alert(1)</script>`,
		"an entity":        `&lt;b&gt; &x; &#0;`,
		"quotes":           `" onload="alert(1)" x='`,
		"the end of style": `</style><style>*{display:none}`,
		"300 characters":   strings.Repeat("x", 300),
		"300 wide ones":    strings.Repeat("界", 300),
		"control":          "a\x00b\x1b[31mc\r\n\u2028d\ufffe\xff",
		"nothing":          "",
	} {
		t.Run(name, func(t *testing.T) {
			g := Graph{Name: text, Nodes: []Node{
				{ID: text, Kind: text, Label: text, Note: text, State: "completed"},
				{ID: text + "2", State: `completed"><script>`},
			}, Edges: []Edge{{From: text, To: text + "2", Label: text, Saw: text, Taken: true}, {From: text + "2", To: text, Back: true}, {From: text, To: text, Label: text}}}
			svg := SVG(g)
			p := paintedAs(t, svg)
			if p.names["rect"] != 3 || p.width > 2000 || strings.ContainsAny(svg, "\x00\x1b\r\u202e\u2028") {
				t.Errorf("%v, %d wide:\n%s", p.names, p.width, svg)
			}
			for _, text := range p.texts {
				if width(text) > 42 {
					t.Errorf("%q is %d cells wide", text, width(text))
				}
			}
		})
	}
}

func TestEveryGraphIsAPictureAndTheSameOneEachTime(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 6))
	for range 40 {
		g := random(r)
		svg := SVG(g)
		paintedAs(t, svg)
		if diff := cmp.Diff(svg, SVG(g)); diff != "" {
			t.Fatal(diff)
		}
	}
	if p := paintedAs(t, SVG(Graph{})); p.height == 0 {
		t.Error("nothing has no height")
	}
	large := aChain(maxPaint + 1)
	if p := paintedAs(t, SVG(large)); p.names["rect"] != 1 || len(p.texts) < maxPaint {
		t.Errorf("a graph with many nodes has %v", p.names)
	}
}
