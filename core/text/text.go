// Package text has what every package needs to write sentences.
package text

import "strconv"

// Count is a number of things in words: "1 row", "2 rows".
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}
