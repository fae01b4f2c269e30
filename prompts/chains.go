package prompts

import "embed"

//go:embed chains/*.yaml
var chains embed.FS

// Chain returns the source of an embedded chain; it reports false when there
// is none of that name.
func Chain(name string) ([]byte, bool) {
	src, err := chains.ReadFile("chains/" + name + ".yaml")
	return src, err == nil
}

// Chains lists the names of the embedded chains, sorted.
func Chains() []string {
	entries, err := chains.ReadDir("chains")
	if err != nil {
		return nil
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()[:len(e.Name())-len(".yaml")]
	}
	return names
}
