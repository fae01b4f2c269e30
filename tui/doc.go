// Package tui shows the room in a terminal: the conversation, the experts that
// join and leave while it goes on, and what every run is doing.
//
// It sees the program through [Backend] alone. One goroutine, that of the
// Bubble Tea program, owns all state here; nothing in it blocks. What may block
// runs as a command of its own, ends with the context given to [Run], and has
// ended when [Run] returns.
//
// A frame is a slice of rows that panes draw into rectangles; see arrange.
// Every string from outside passes core/safe before it is kept.
package tui
