package upstream

import "time"

// The bounds of what a server may send. A list beyond them is a [*ListError].
const (
	// MaxMessageBytes bounds one message.
	MaxMessageBytes = 16 << 20
	// MaxListBytes bounds all tools of a list together.
	MaxListBytes = 32 << 20
	// MaxListTools and MaxListPages bound the tools and the pages of a list.
	MaxListTools = 20_000
	MaxListPages = 1000
	// maxListings bounds how often a list is read again because it changed.
	maxListings = 3

	// connectTime is how long a connection may take, with the agreement on a
	// version of the protocol.
	connectTime = 30 * time.Second
	// discoverTime is how long a server may take to answer server/discover.
	// Older servers may ignore it.
	discoverTime = 3 * time.Second
	// replyTime bounds the writing of a reply to a request of the server.
	replyTime = 5 * time.Second
	// writeTime is how long the writing of a message may go on after its
	// context has ended. A process may read nothing while it works in a call.
	writeTime = 5 * time.Second
	// endTime is how long a process may take to end after its input has ended,
	// and again after it was asked to terminate.
	endTime = 2 * time.Second
	// minRedial and maxRedial bound the pause after a failed connection.
	minRedial = 100 * time.Millisecond
	maxRedial = 30 * time.Second
)
