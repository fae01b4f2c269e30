// Package must says in a line what a test needs: what must not fail on its way, and
// what must be equal at its end.
package must

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Do ends the test if err is one.
func Do(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Report says err if it is one. The test goes on.
func Report(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}

// Get returns a function that returns v, or ends the test if err is one:
// must.Get(os.Open(name))(t).
func Get[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		Do(t, err)
		return v
	}
}

// Equal says where got is not what is wanted. The test goes on.
func Equal(t testing.TB, want, got any, options ...cmp.Option) {
	t.Helper()
	if diff := cmp.Diff(want, got, options...); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
