package ollama

import "testing"

func TestAModelIsLoadedForWhatItReadsAndTheMachineHolds(t *testing.T) {
	llama := map[string]any{ // of eight billion parameters
		"llama.block_count": 32.0, "llama.attention.head_count": 32.0, "llama.attention.head_count_kv": 8.0,
		"llama.embedding_length": 4096.0, "llama.context_length": 131072.0,
	}
	if n := perToken(llama); n != 128<<10 {
		t.Errorf("a token of context takes %d bytes", n)
	}
	const gib = 1 << 30
	for _, c := range []struct{ context, perToken, memory, want int }{
		{0, 0, 0, 16384},
		{4096, 0, 0, 4096},
		{131072, 128 << 10, 16 * gib, 16384},
		{131072, 128 << 10, 64 * gib, 65536},
		{131072, 128 << 10, 2 * gib, 8192},
		{131072, 1 << 10, 512 * gib, 131072},
		{1 << 20, 1 << 10, 512 * gib, 131072},
		{131072, 128 << 10, 0, 16384}, // on another machine
	} {
		if got := (details{context: c.context, perToken: c.perToken}).fits(c.memory); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
	for base, known := range map[string]bool{"http://127.0.0.1:11434": true, "http://localhost:1": true, "http://[::1]:1": true, "http://10.0.0.1:11434": false, "http://example.org": false} {
		if got := memoryFor(base); got > 0 && !known {
			t.Errorf("%s has %d bytes", base, got)
		}
	}
}
