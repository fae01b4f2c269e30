package ollama

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/yaap-chat/yaap/core/llm/web"
)

const versionTime = 2 * time.Second // for the server to say which it is

// goodVersion is the first one that reads the calls of all models that it has: those
// before lose some, or fail with them.
var goodVersion = [3]int{0, 31, 2} //nolint:gochecknoglobals // never changes

// Version is the version that a server says it has, and what is to be expected of one that
// is older than it should be, and to do; both are empty where it does not say.
func Version(ctx context.Context, baseURL string) (is, fault string) {
	ctx, cancel := context.WithTimeout(ctx, versionTime)
	defer cancel()
	c := client{base: baseURL, http: NewHTTP(nil)}
	defer c.http.CloseIdleConnections()
	var answer struct{ Version string }
	if c.server().Get(ctx, "/api/version", nil, &answer) != nil {
		return "", ""
	}
	is = web.Shorten(answer.Version)
	version, ok := numbers(answer.Version)
	if !ok || version == [3]int{} || !older(version, goodVersion) { // 0.0.0 was built by somebody
		return is, ""
	}
	return is, fmt.Sprintf("This is Ollama %s: before %d.%d.%d it loses calls of some models. Update it, ollama.com says how.",
		is, goodVersion[0], goodVersion[1], goodVersion[2])
}

// numbers are those of a version such as 0.17.4-rc1.
func numbers(version string) (n [3]int, ok bool) {
	version, _, _ = strings.Cut(strings.TrimPrefix(version, "v"), "-")
	parts := strings.Split(version, ".")
	if len(parts) != len(n) {
		return n, false
	}
	for i, part := range parts {
		var err error
		if n[i], err = strconv.Atoi(part); err != nil || n[i] < 0 {
			return n, false
		}
	}
	return n, true
}

func older(a, b [3]int) bool {
	for i := range a {
		if a[i] != b[i] {
			return a[i] < b[i]
		}
	}
	return false
}
