package client

import "time"

// The bounds of what a server may send. A list beyond them is a [*ListError].
const (
	// MaxMessageBytes bounds one message. No more of a message is read, so that
	// a server that sends without end cannot fill the memory.
	MaxMessageBytes = 16 << 20
	// maxListTools bounds the tools of a list.
	maxListTools = 20_000
	// maxListBytes and maxListPages bound all tools together, and the pages.
	maxListBytes = 32 << 20
	maxListPages = 1000
	// maxListings bounds how often a list is read again because it changed.
	maxListings = 3

	// maxQuestions bounds the questions of an older server that are open.
	maxQuestions = 16
	// maxPending bounds how many calls of one client wait for an answer.
	maxPending = 1000
	// questionTime is how long a call waits for the answer to an older server's
	// question, and how long the server may still ask about a call that was given
	// up.
	questionTime = 10 * time.Minute

	// connectTime is how long a connection may take, with the agreement on a
	// version of the protocol.
	connectTime = 30 * time.Second
	// discoverTime is how long a server may take to answer server/discover.
	// Older servers may ignore it.
	discoverTime = 3 * time.Second
	// streamTime is how long a session waits for the stream on which a server asks
	// questions. Some servers open it only with its first message.
	streamTime = time.Second
	// maxResumes bounds how often a stream is resumed in vain.
	maxResumes = 5
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
