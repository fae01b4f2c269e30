// Package core holds the nouns and contracts that two or more packages of yaap
// share: messages, tools, replies, events, scopes, runners, the journal and
// errors. It imports the standard library only and does no I/O.
//
// Control flows by plain calls and return values. Events only report: nobody
// waits for one, and nothing is decided by one.
package core
