// Package bench measures how fast yaap is on the machine that it runs on: what one
// thing costs, and whether it costs more where there is more of it.
package bench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/yaap-chat/yaap/core/text"
)

// Bytes is the unit of a figure that is no time.
const Bytes = "bytes"

// Figure is what one thing costs: microseconds, where it names no other unit.
type Figure struct {
	Area   string  `json:"area"`
	What   string  `json:"what"`
	P50    float64 `json:"p50_us"`
	P99    float64 `json:"p99_us"`
	Unit   string  `json:"unit,omitempty"`
	Allocs float64 `json:"allocs,omitempty"` // 0: not counted
	Times  int     `json:"times"`
}

// Report is what was measured on one machine.
type Report struct {
	Version string   `json:"version"`
	Go      string   `json:"go"`
	Cores   int      `json:"cores"`
	Fsync   float64  `json:"fsync_us"` // what the disk takes to keep a small file
	Figures []Figure `json:"figures"`
}

// area measures one part. each is how long it may go on with one figure.
type area struct {
	name, does string
	measure    func(ctx context.Context, each time.Duration) ([]Figure, error)
}

func areas() []area {
	return []area{
		{"start", "this program, from its start to its end", start},
		{"turn", "a turn of the agent with one call of a tool", turn},
		{"chain", "a node of a chain, in chains of 10 and of 1 000", chains},
		{"stream", "a piece of a reply that is streamed", stream},
		{"screen", "a key, a frame, and what the terminal costs at rest", screen},
		{"room", "from hello to the first call, and a round of bids", hello},
		{"store", "a message that is stored, and a search of the memory", stored},
	}
}

// Areas says what can be measured: names, each with what it is.
func Areas() (list [][2]string) {
	for _, a := range areas() {
		list = append(list, [2]string{a.name, a.does})
	}
	return list
}

// Run measures the areas of these names, all where none is named. It takes about 20
// seconds for all.
func Run(ctx context.Context, version string, names []string) (Report, error) {
	r := Report{Version: version, Go: runtime.Version(), Cores: runtime.GOMAXPROCS(0)}
	var err error
	if r.Fsync, err = fsync(); err != nil {
		return r, err
	}
	for _, a := range areas() {
		if len(names) > 0 && !slices.Contains(names, a.name) {
			continue
		}
		figures, err := a.measure(ctx, time.Second)
		if err != nil {
			return r, fmt.Errorf("%s: %w", a.name, err)
		}
		for _, f := range figures {
			f.Area = a.name
			r.Figures = append(r.Figures, f)
		}
	}
	return r, nil
}

// fsync is the median time of keeping a small file.
func fsync() (float64, error) {
	dir, err := os.MkdirTemp("", "yaap-bench-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // it is a directory for a while
	f, err := os.Create(filepath.Join(dir, "file"))
	if err != nil {
		return 0, err
	}
	defer f.Close() //nolint:errcheck // it was synced
	w := watch{each: 300 * time.Millisecond}
	for w.more() {
		if _, err := f.WriteAt(make([]byte, 4096), 0); err != nil {
			return 0, err
		}
		if err := f.Sync(); err != nil {
			return 0, err
		}
		w.took()
	}
	return w.figure("").P50, nil
}

// watch takes the times of one thing that is done again and again, at least 20 times
// and at most so long.
type watch struct {
	each   time.Duration
	begun  time.Time
	last   time.Time
	times  []time.Duration
	before runtime.MemStats
}

// more reports whether it is to be done once more, and begins its time.
func (w *watch) more() bool {
	if w.begun.IsZero() {
		runtime.ReadMemStats(&w.before)
		w.begun = time.Now()
	}
	w.last = time.Now()
	return len(w.times) < 20 || w.last.Sub(w.begun) < w.each
}

// took ends the time of one.
func (w *watch) took() { w.times = append(w.times, time.Since(w.last)) }

// figure is what one cost.
func (w *watch) figure(what string) Figure {
	var after runtime.MemStats
	runtime.ReadMemStats(&after)
	n := len(w.times)
	slices.Sort(w.times)
	micros := func(share float64) float64 { return float64(w.times[int(share*float64(n-1))].Nanoseconds()) / 1000 }
	return Figure{What: what, P50: micros(0.5), P99: micros(0.99), Allocs: float64(after.Mallocs-w.before.Mallocs) / float64(n), Times: n}
}

// per is the figure of one of n things that were done together.
func (f Figure) per(n int) Figure {
	f.P50, f.P99, f.Allocs = f.P50/float64(n), f.P99/float64(n), f.Allocs/float64(n)
	return f
}

// Text is the report as lines; with an earlier one beside each figure how it has
// changed.
func (r Report) Text(before *Report) string {
	var b strings.Builder
	fmt.Fprintf(&b, "yaap %s, %s, %s, a write that is kept %s\n\n", r.Version, r.Go, text.Count(r.Cores, "core", "cores"), micros(r.Fsync))
	fmt.Fprintf(&b, "%-8s %-40s %10s %10s %8s\n", "", "", "p50", "p99", "allocs")
	for _, f := range r.Figures {
		line := fmt.Sprintf("%-8s %-40s %10s %10s %8.0f", f.Area, f.What, f.value(f.P50), f.value(f.P99), f.Allocs)
		if before != nil {
			for _, was := range before.Figures {
				if was.Area == f.Area && was.What == f.What && was.P50 > 0 {
					line += fmt.Sprintf("  %5.2f of before", f.P50/was.P50)
				}
			}
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

// value writes a value of a figure as people do.
func (f Figure) value(v float64) string {
	if f.Unit == Bytes {
		return text.Size(int(v))
	}
	return micros(v)
}

// micros writes a time as people do.
func micros(us float64) string {
	switch {
	case us >= 1e6:
		return fmt.Sprintf("%.2f s", us/1e6)
	case us >= 1000:
		return fmt.Sprintf("%.1f ms", us/1000)
	case us >= 10:
		return fmt.Sprintf("%.0f µs", us)
	}
	return fmt.Sprintf("%.2f µs", us)
}
