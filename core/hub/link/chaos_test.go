package link_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/hub"
	"github.com/yaap-chat/yaap/core/must"
)

// openFiles is how many files this process has open.
func openFiles(t *testing.T) int {
	t.Helper()
	list := must.Get(os.ReadDir("/proc/self/fd"))(t)
	return len(list)
}

// Real processes of a dozen kinds are started, started again and taken out, a hundred
// times a second, while they are called: nobody answers for another, every call that
// fails says how, and nothing of anybody is left.
func TestNothingIsLeftOfExpertsThatComeAndGoWhileTheyAreCalled(t *testing.T) {
	onlyLinux(t)
	mark := fmt.Sprint("chaos-", os.Getpid())
	kinds := []string{"heron", "crash", "slow", "flood", "deaf", "strict", "tasks", "mute", "exit", "logs", "helped", "brood"}
	r := open(t)
	running, files := runtime.NumGoroutine(), openFiles(t)
	var mu sync.Mutex
	answers, failed := 0, map[core.ToolCode]int{}
	over := make(chan struct{})
	var callers sync.WaitGroup
	for i := range 4 {
		random := rand.New(rand.NewPCG(1, uint64(i)))
		callers.Go(func() {
			pace := time.NewTicker(5 * time.Millisecond)
			defer pace.Stop()
			for n := 0; ; n++ {
				select {
				case <-over:
					return
				case <-pace.C:
				}
				tools := r.Tools().Tools
				if len(tools) == 0 {
					continue
				}
				tool, prompt := tools[random.IntN(len(tools))], fmt.Sprintf("caller %d call %d.", i, n)
				ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
				got, err := tool.Call(ctx, core.Call{ID: prompt, Key: prompt, Tool: tool.Spec().Name, Args: fmt.Appendf(nil, `{"prompt":%q}`, prompt)})
				ended := ctx.Err() != nil
				cancel()
				mu.Lock()
				switch {
				case err != nil && !ended, err == nil && !got.OK() && got.Code == "":
					t.Errorf("%s: a call ended with %+v, %v", tool.Spec().Name, got, err)
				case err == nil && got.OK() && !strings.Contains(got.Text, prompt):
					t.Errorf("%s was asked %q and answers %q", tool.Spec().Name, prompt, got.Text)
				case err == nil && got.OK():
					answers++
				default:
					failed[got.Code]++
				}
				mu.Unlock()
			}
		})
	}
	random := rand.New(rand.NewPCG(3, 4))
	pace := time.NewTicker(10 * time.Millisecond)
	enough := func() bool {
		mu.Lock()
		defer mu.Unlock()
		return answers > 0 && len(failed) > 0
	}
	for n := 0; n < 100 || !enough(); n++ {
		<-pace.C
		kind := kinds[random.IntN(len(kinds))]
		switch name := "expert-" + kind; random.IntN(4) {
		case 0:
			_ = r.Remove(t.Context(), name) // nobody of that name may be there
		case 1:
			_ = r.Restart(name)
		default:
			_ = r.Add(t.Context(), hub.Spec{Name: name, Command: []string{os.Args[0], "child", kind, mark}, Trusted: true})
		}
	}
	pace.Stop()
	close(over)
	callers.Wait()
	r.stop()
	t.Logf("%d answers, failures %v", answers, failed)
	if left := marked(t, mark); len(left) > 0 {
		t.Errorf("these are left:\n%s", strings.Join(left, "\n"))
	}
	eventually(t, "the files of the room are closed", func() bool { return openFiles(t) <= files })
	eventually(t, "its goroutines have ended", func() bool { return runtime.NumGoroutine() <= running })
}

// marked lists the processes that have mark among their arguments.
func marked(t *testing.T, mark string) (list []string) {
	t.Helper()
	paths := must.Get(filepath.Glob("/proc/[0-9]*/cmdline"))(t)
	for _, path := range paths {
		line, err := os.ReadFile(path)
		if err == nil && strings.Contains(string(line), "\x00"+mark+"\x00") {
			list = append(list, filepath.Base(filepath.Dir(path))+" "+string(bytes.ReplaceAll(line, []byte{0}, []byte{' '})))
		}
	}
	return list
}
