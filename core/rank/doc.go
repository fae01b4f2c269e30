// Package rank orders short texts, such as what tools say of themselves, by
// how well they fit a query: BM25 over weighted fields, with English stems.
//
// It is pure: it holds no state between calls, and its work is linear in the
// length of its input. Texts in other languages are ranked by their bare words.
// [Distance] finds the word that was meant by one that is misspelt.
package rank
