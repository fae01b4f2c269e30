package core

import (
	"crypto/sha256"
	"encoding/hex"
)

// Hash is the SHA-256 of a text, in 64 hexadecimal digits.
func Hash[T string | []byte](text T) string {
	sum := sha256.Sum256([]byte(text))
	return string(hex.AppendEncode(make([]byte, 0, 2*len(sum)), sum[:]))
}
