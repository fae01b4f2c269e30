// Package extract shortens texts and keeps what a memory needs of them, without
// a model: every word of what it returns stands in its input, save the fixed
// headings, "also:" and "…". It takes texts over; it does not understand them.
//
// Everything here is pure and deterministic, bounded by the length asked for,
// linear in the length of the input, and valid UTF-8 whatever is given. English
// and German are known, and statements in Spanish; texts in other languages are
// cut at the ends of their sentences and keep their numbers, names and
// identifiers.
package extract
