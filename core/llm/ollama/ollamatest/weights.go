package ollamatest

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/yaap-chat/yaap/core/llm/web/webtest"
)

// weights are made by hand: a model of less than a megabyte, of a kind that the real
// server loads and runs like any other, that says what it is told. Its one layer adds
// nothing, so each token follows from the one before alone: the row of a token in the
// last matrix is the sum of the embeddings of those that it follows.
//
// Each answer begins with a token of its own, with which the template ends the prompt.
type weights struct {
	tokens []string
	types  []int32
	loose  []bool        // whether a random letter follows it
	after  map[int][]int // by token: those that it follows
	taken  map[string]bool
}

// Reads is how many tokens a model of a real server reads: a letter is one, or two.
const Reads = 2048

const (
	width   = 128 // numbers for a token
	head    = 32
	stop    = 2 // the token that ends an answer
	letter0 = 3 // that of the byte 0

	normal  int32 = 1
	control int32 = 3
)

func newWeights() *weights {
	w := &weights{after: map[int][]int{}, taken: map[string]bool{}}
	for _, name := range []string{"<|endoftext|>", "<|im_start|>", "<|im_end|>"} {
		w.add(name, control)
	}
	for b := range 256 {
		w.loose[w.add(letters(string([]byte{byte(b)})), normal)] = true
	}
	return w
}

func (w *weights) add(name string, kind int32) int {
	w.tokens, w.types, w.loose = append(w.tokens, name), append(w.types, kind), append(w.loose, false)
	w.taken[name] = true
	return len(w.tokens) - 1
}

// learn makes reply follow the token name, and what comes after its thoughts the token
// name with a plus sign. It returns how many tokens the reply has.
func (w *weights) learn(name string, reply Reply) (number int) {
	from := []int{w.add(begin(name), control)}
	write := func(text string) {
		for text != "" {
			piece := w.piece(text, reply.Pieces)
			id := w.add(letters(piece), normal)
			w.after[id] = append(w.after[id], from...)
			from, text = []int{id}, text[len(piece):]
			number++
		}
	}
	if reply.Thinking != "" {
		write(openTag + reply.Thinking + closeTag)
		from = append(from, w.add(begin(name+"+"), control))
	}
	write(said(reply))
	for _, last := range from {
		switch {
		case reply.End == webtest.EndQuiet:
			w.after[last] = append(w.after[last], last)
		case reply.End == webtest.EndDone && reply.Reason == "":
			w.after[stop] = append(w.after[stop], last)
		default:
			w.loose[last] = true
		}
	}
	return number
}

const openTag, closeTag = "<think>", "</think>"

func begin(name string) string { return "<|begin:" + name + "|>" }

// said is what a model writes that says reply, its thoughts left out.
func said(reply Reply) string {
	var b strings.Builder
	b.WriteString(reply.Text)
	for _, c := range reply.Calls {
		args := c.Args
		if len(args) == 0 {
			args = json.RawMessage("{}")
		}
		fmt.Fprintf(&b, "<tool_call>\n{\"name\": %q, \"arguments\": %s}\n</tool_call>\n", c.Tool, args)
	}
	return b.String()
}

// piece is the shortest beginning of text, in whole runes and of at least size bytes,
// that is no token yet: the server wants every token once.
func (w *weights) piece(text string, size int) string {
	if size <= 0 {
		size = 4
	}
	for n := 0; n < len(text); {
		_, rune := utf8.DecodeRuneInString(text[n:])
		if n += rune; n >= size && !w.taken[letters(text[:n])] {
			return text[:n]
		}
	}
	return text
}

// letters writes bytes as vocabularies of this kind do: each is a printable rune.
func letters(text string) string {
	var b strings.Builder
	for i := range len(text) {
		switch r := rune(text[i]); {
		case r <= ' ':
			b.WriteRune(r + 0x100)
		case r >= 0x7f && r <= 0xa0:
			b.WriteRune(r + 0xa2)
		case r == 0xad:
			b.WriteRune(0x143)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// matrices returns the embeddings and the last matrix. The first number of an embedding
// tells whether a random letter follows.
func (w *weights) matrices() (embeddings, output []float32) {
	const sure, apart = 40, 20            // of logits
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // they have to differ, no more
	embeddings, output = make([]float32, width*len(w.tokens)), make([]float32, width*len(w.tokens))
	for i := range embeddings {
		embeddings[i] = float32(2*random.IntN(2) - 1)
	}
	for i, loose := range w.loose {
		embeddings[i*width] = -1
		if loose {
			embeddings[i*width] = 1
		}
	}
	for i, token := range w.tokens {
		row := output[i*width:][:width]
		for _, before := range w.after[i] {
			for k, x := range embeddings[before*width:][:width] {
				row[k] += x * sure / width
			}
		}
		switch {
		case i < letter0 || i >= letter0+256 || len(token) > 1: // it is not printable, or no letter
			row[0] -= apart
		case token == `"` || token == `}`:
			row[0] += apart + 3 // so that strings and objects end soon
		default:
			row[0] += apart
		}
	}
	return embeddings, output
}

// file writes the weights as GGUF: to be asked, or to make vectors of texts, which are
// the means of the embeddings of their letters.
func (w *weights) file(reads int, vectors bool) []byte {
	var b bytes.Buffer
	put := func(values ...any) {
		for _, v := range values {
			if s, ok := v.(string); ok {
				put64(&b, len(s))
				b.WriteString(s)
				continue
			}
			_ = binary.Write(&b, binary.LittleEndian, v) // a buffer takes everything
		}
	}
	const u32, f32, boolean, str, list, i32 = uint32(4), uint32(6), uint32(7), uint32(8), uint32(9), uint32(5)
	settings := [][]any{
		{"general.architecture", str, "qwen3"},
		{"general.name", str, "scripted"},
		{"qwen3.block_count", u32, uint32(1)},
		{"qwen3.context_length", u32, uint32(reads)},
		{"qwen3.embedding_length", u32, uint32(width)},
		{"qwen3.feed_forward_length", u32, uint32(head)},
		{"qwen3.attention.head_count", u32, uint32(1)},
		{"qwen3.attention.head_count_kv", u32, uint32(1)},
		{"qwen3.attention.key_length", u32, uint32(head)},
		{"qwen3.attention.value_length", u32, uint32(head)},
		{"qwen3.attention.layer_norm_rms_epsilon", f32, float32(1e-6)},
		{"qwen3.rope.freq_base", f32, float32(10000)},
		{"tokenizer.ggml.model", str, "gpt2"},
		{"tokenizer.ggml.pre", str, "qwen2"},
		{"tokenizer.ggml.bos_token_id", u32, uint32(0)},
		{"tokenizer.ggml.eos_token_id", u32, uint32(stop)},
		{"tokenizer.ggml.add_bos_token", boolean, uint8(0)},
		{"tokenizer.ggml.merges", list, str, uint64(1), letters("a b")},
		{"tokenizer.ggml.token_type", list, i32, uint64(len(w.types)), w.types},
		{"tokenizer.ggml.tokens", list, str, uint64(len(w.tokens))},
	}
	if vectors {
		settings = slices.Insert(settings, 1, []any{"qwen3.pooling_type", u32, uint32(1)})
	}
	for _, token := range w.tokens {
		settings[len(settings)-1] = append(settings[len(settings)-1], token)
	}
	tensors := w.tensors()
	put([]byte("GGUF"), uint32(3), uint64(len(tensors)), uint64(len(settings)))
	for _, s := range settings {
		put(s...)
	}
	at := 0
	for _, t := range tensors {
		put(t.name, uint32(len(t.size)))
		for _, n := range t.size {
			put(uint64(n))
		}
		put(uint32(0), uint64(at)) // 0: of 32 bits each
		at += 4 * len(t.numbers)
	}
	b.Write(make([]byte, -b.Len()&31))
	for _, t := range tensors {
		put(t.numbers)
	}
	return b.Bytes()
}

func put64(b *bytes.Buffer, n int) { _ = binary.Write(b, binary.LittleEndian, uint64(n)) }

// tensor is a matrix, row by row, or a vector. Each has a multiple of 8 numbers, as the
// file wants.
type tensor struct {
	name    string
	size    []int // of a row, then how many
	numbers []float32
}

func (w *weights) tensors() []tensor {
	ones := func(name string, n int) tensor {
		t := tensor{name, []int{n}, make([]float32, n)}
		for i := range t.numbers {
			t.numbers[i] = 1
		}
		return t
	}
	zeros := func(name string, row, rows int) tensor {
		return tensor{name, []int{row, rows}, make([]float32, row*rows)}
	}
	embeddings, output := w.matrices()
	return []tensor{
		{"token_embd.weight", []int{width, len(w.tokens)}, embeddings},
		{"output.weight", []int{width, len(w.tokens)}, output},
		ones("output_norm.weight", width),
		ones("blk.0.attn_norm.weight", width),
		ones("blk.0.attn_q_norm.weight", head),
		ones("blk.0.attn_k_norm.weight", head),
		ones("blk.0.ffn_norm.weight", width),
		zeros("blk.0.attn_q.weight", width, head),
		zeros("blk.0.attn_k.weight", width, head),
		zeros("blk.0.attn_v.weight", width, head),
		zeros("blk.0.attn_output.weight", head, width),
		zeros("blk.0.ffn_gate.weight", width, head),
		zeros("blk.0.ffn_up.weight", width, head),
		zeros("blk.0.ffn_down.weight", head, width),
	}
}
