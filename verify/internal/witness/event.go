package witness

import "strings"

// A Kind classifies an [Event].
type Kind string

// The kinds of events.
const (
	Write   Kind = "write"   // a file, folder, link or attribute is created or written
	Remove  Kind = "remove"  // a file or folder is removed
	Rename  Kind = "rename"  // Path becomes To
	Mode    Kind = "mode"    // mode, owner, times or attributes change
	Connect Kind = "connect" // a socket is connected to Address
	Send    Kind = "send"    // data is sent to Address
	Listen  Kind = "listen"  // a socket is bound to Address
	Exec    Kind = "exec"    // the program at Path is started
	Signal  Kind = "signal"  // another process gets a signal
	System  Kind = "system"  // the system changes, such as by a mount
	Request Kind = "request" // an HTTP request with Method to Address
	Unknown Kind = "unknown" // an act whose effect the witness cannot see
)

// A Source is the witness that saw an event.
type Source string

// The witnesses.
const (
	Kernel Source = "kernel"
	Folder Source = "folder"
	HTTP   Source = "http"
)

// An Event is one act of a handler. Equal acts in one window are one event. An
// attempt is an event even if it fails, except in folders.
type Event struct {
	Kind Kind   `json:"kind"`
	By   Source `json:"by"`
	// Path is absolute and clean, and its folder has no symbolic links. It is
	// empty if the event has no path, or if the path could not be read.
	Path string `json:"path,omitempty"`
	// To is the new path of a rename or a link.
	To string `json:"to,omitempty"`
	// Address is the peer's host:port, "unix:/path", "unix:@name" for an
	// abstract name, or "unix:" if the kernel does not name it. For [Listen],
	// it is the socket's own address.
	Address string `json:"address,omitempty"`
	// Network is "tcp", "udp", "unix" or another protocol's name. It is empty
	// if it is not known.
	Network string `json:"network,omitempty"`
	// Method is the method of an HTTP request.
	Method string `json:"method,omitempty"`
	// Detail is the system call and what it does, such as "openat: creates the
	// file". It never contains the handler's data.
	Detail string `json:"detail,omitempty"`
}

// String returns the event on one line, for a report.
func (e Event) String() string {
	parts := []string{string(e.Kind)}
	for _, part := range []string{e.Method, e.Network, e.Address, e.Path} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	if e.To != "" {
		parts = append(parts, "→", e.To)
	}
	if e.Detail != "" {
		parts = append(parts, "("+e.Detail+")")
	}
	return strings.Join(parts, " ")
}

// Loopback reports whether Address is on this machine: a loopback address or a
// unix socket. It is false for an event without an address.
func (e Event) Loopback() bool { return loopback(e.Address) }

// same reports whether two events describe the same act.
func (e Event) same(other Event) bool {
	e.Detail, other.Detail = "", ""
	return e == other
}

// add appends an event unless an equal one is already there.
func add(events []Event, e Event) []Event {
	for _, earlier := range events {
		if earlier.same(e) {
			return events
		}
	}
	return append(events, e)
}
