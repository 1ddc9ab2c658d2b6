package sinktest

import "github.com/toolcontract/toolcontract/contract/guard/audit"

// A Harness is a fresh sink with hooks to look behind it. Each rule gets a
// harness of its own.
type Harness struct {
	// Sink is the sink to check. If it is an [io.Closer], its Close is checked
	// too.
	Sink audit.Sink
	// Kept reads back the events that the sink kept, in its order. It is called
	// after Write has returned, and after Close. It is required.
	Kept func() ([]audit.Event, error)
	// Raw reads back the text that the sink wrote. It is nil if the sink writes
	// no text for people.
	Raw func() ([]byte, error)
	// Fail makes every later attempt to keep an event fail, as a full disk
	// does. It is nil if the test cannot do that.
	Fail func() error
	// Stall makes every later attempt to keep an event hang until release is
	// called, as a dead disk does. It is nil if the test cannot do that. The
	// suite calls release once.
	Stall func() (release func())
}
