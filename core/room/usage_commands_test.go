package room

import (
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/config"
)

func TestTokensCostWhatTheirPriceSays(t *testing.T) {
	for _, c := range []struct {
		price config.Price
		usage core.Usage
		want  string
	}{
		{config.Price{Input: 1, Output: 2}, core.Usage{Prompt: 1_000_000, Cached: 400_000, Completion: 500_000}, "$2.00"},
		{config.Price{Input: 1, Cached: 0.1, Output: 2}, core.Usage{Prompt: 1_000_000, Cached: 400_000, Completion: 500_000}, "$1.64"},
		{config.Price{Input: 0.5, Output: 1.5}, core.Usage{Prompt: 1200, Completion: 80}, "$0.0007"},
	} {
		if got := dollars(spent(c.price, c.usage)); got != c.want {
			t.Errorf("%+v at %+v costs %s, want %s", c.usage, c.price, got, c.want)
		}
	}
}
