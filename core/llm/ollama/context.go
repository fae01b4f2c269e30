package ollama

import (
	"bufio"
	"cmp"
	"fmt"
	"net/netip"
	"net/url"
	"os"
	"strings"
)

const (
	defaultNumCtx = 16384   // where nothing is known
	leastNumCtx   = 8192    // however little memory there is
	mostNumCtx    = 1 << 17 // however much
	memoryShare   = 8       // of the machine's memory, that a context may take
)

// fits is how many tokens a model is loaded for: as many as it can read, and memory
// holds; 0 bytes where that is not known.
func (d details) fits(memory int) int {
	n := defaultNumCtx
	if d.perToken > 0 && memory > 0 {
		n = min(max(memory/memoryShare/d.perToken, leastNumCtx), mostNumCtx) &^ 1023
	}
	if d.context > 0 {
		n = min(n, d.context)
	}
	return n
}

// perToken is how many bytes of memory each token of a context takes: a key and a value
// of two bytes each for every head of every layer.
func perToken(info map[string]any) int {
	number := func(name string) int {
		for key, value := range info {
			if n, ok := value.(float64); ok && strings.HasSuffix(key, "."+name) && n >= 1 && n < 1<<20 {
				return int(n)
			}
		}
		return 0
	}
	heads, layers := number("attention.head_count"), number("block_count")
	kv := cmp.Or(number("attention.head_count_kv"), heads)
	key := number("attention.key_length")
	if key == 0 && heads > 0 {
		key = number("embedding_length") / heads
	}
	value := cmp.Or(number("attention.value_length"), key)
	return layers * kv * (key + value) * 2
}

// memoryFor is the memory in bytes of the machine that a server runs on, where it is this
// one and tells; else 0.
func memoryFor(base string) int {
	u, err := url.Parse(base)
	if err != nil {
		return 0
	}
	if ip, err := netip.ParseAddr(u.Hostname()); u.Hostname() != "localhost" && (err != nil || !ip.IsLoopback()) {
		return 0
	}
	file, err := os.Open("/proc/meminfo")
	if err != nil {
		return 0
	}
	defer func() { _ = file.Close() }()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		var kb int
		if n, _ := fmt.Sscanf(lines.Text(), "MemTotal: %d kB", &kb); n == 1 {
			return kb << 10
		}
	}
	return 0
}
