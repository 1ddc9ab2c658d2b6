package store

import "time"

// A Count is the state of the counts under one key; see [Store.Max]. It is zero
// if nothing was counted, or the window is over.
type Count struct {
	// Highest is the highest count of any kind.
	Highest int64
	// WindowLeft is the rest of the window.
	WindowLeft time.Duration
}
