package sinktest

import "github.com/toolcontract/toolcontract/contract/audit"

// A Harness is a fresh sink, and the ways to look behind it. Each rule gets one of its own.
type Harness struct {
	// Sink is what is checked. Where it is an [io.Closer], its Close is checked too.
	Sink audit.Sink
	// Kept reads back the events that the sink kept, in its order. It is called after Writes have
	// returned, and after Close. It is required.
	Kept func() ([]audit.Event, error)
	// Raw reads back the text that the sink wrote. Nil where it writes none that people read.
	Raw func() ([]byte, error)
	// Fail makes every further attempt to keep an event fail, as a full disk does. Nil where the test
	// cannot.
	Fail func() error
	// Stall makes every further attempt to keep an event hang until release is called, as a dead disk
	// does. Nil where the test cannot. release is called once.
	Stall func() (release func())
}
