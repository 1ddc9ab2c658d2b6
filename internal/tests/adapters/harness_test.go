package adapters_test

import (
	"context"
	"io"
	"net/http"
	"time"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/guard"
)

// Settings describe what a server of the adapter has to serve. A Harness gets
// different Settings for each server.
type Settings struct {
	// Config holds the tools and how they are listed, as [adapter.NewTable]
	// takes it. The server has no other tools. Config.Server is the name the
	// server reports to its clients.
	adapter.Config
	// Version is the version the server reports.
	Version string
	// Guard runs every call. The suite closes it; the adapter may close it when
	// a Stream ends.
	Guard *guard.Guard
	// PageSize is the number of tools on a page of tools/list. Zero means all
	// tools. An adapter without [Capabilities.Pages] ignores it.
	PageSize int
}

// A Harness creates servers of the adapter under test. At least one of Stream
// and HTTP is required; with both, every rule is checked over both.
type Harness struct {
	// Stream starts a server and returns the client's end of its connection,
	// which carries messages as lines, as over standard input and output. A nil
	// Stream means that the adapter has no such transport.
	//
	// Closing the connection ends the server's input and returns once the
	// server has ended. If the connection has a method CloseWrite() error,
	// which ends only the input, the suite also checks that everything read is
	// still answered and that the stream then ends.
	Stream func(Settings) (io.ReadWriteCloser, error)
	// HTTP returns a server's endpoint over streamable HTTP. The suite sends
	// requests to the path "/mcp". A nil HTTP means that the adapter has no
	// such transport.
	HTTP func(Settings) (http.Handler, error)
	// Bearer returns the adapter's principal function for bearer tokens of HTTP
	// requests. It is required if HTTP is set. Over a Stream the suite uses its
	// own principal function.
	Bearer func(verify func(ctx context.Context, token string) (guard.Principal, error)) guard.PrincipalFunc
	// Capabilities states what the adapter can do. Rules that need other
	// capabilities are skipped.
	Capabilities Capabilities

	patience time.Duration // how long the suite waits for one message
}

// Capabilities states what an adapter can do. Adapters differ because SDKs do.
// The zero value states nothing; [All] states everything.
type Capabilities struct {
	// Older and Newer state the protocol versions the adapter speaks:
	// 2025-11-25, which begins with initialize, and 2026-07-28, where every
	// request carries the client's capabilities. One is required.
	Older, Newer bool
	// ExactArguments: the guard gets the arguments with the exact bytes of the
	// request.
	ExactArguments bool
	// Pages: tools/list has pages of [Settings.PageSize] tools.
	Pages bool
	// Tasks: the adapter sees that a call requests a task.
	Tasks bool
	// Unparsable: calls with unreadable parameters are audited, and their
	// answers repeat none of the parameters.
	Unparsable bool
	// Sessions: over HTTP the adapter has sessions, so that it can ask older
	// clients there too.
	Sessions bool
	// AsksWithin: the adapter asks older clients within the call. Over HTTP it
	// needs Sessions.
	AsksWithin bool
	// AsksInRounds: the adapter asks newer clients through a result; the answer
	// comes with another call.
	AsksInRounds bool
	// Progress: the adapter sends the progress of handlers.
	Progress bool
	// Cancels: the adapter ends the context of a call when its client cancels
	// the call.
	Cancels bool
	// Recovers: on a Stream, a line that isn't JSON doesn't end the session.
	Recovers bool
}

// All returns all capabilities. The caller may then turn some off.
func All() Capabilities {
	return Capabilities{
		Older: true, Newer: true, ExactArguments: true, Pages: true, Tasks: true, Unparsable: true, Sessions: true,
		AsksWithin: true, AsksInRounds: true, Progress: true, Cancels: true, Recovers: true,
	}
}

// A version is a version of the protocol.
type version string

const (
	older version = "2025-11-25"
	newer version = "2026-07-28"
)

// A wire is one way to reach a server. Every rule is checked on each wire.
type wire struct {
	http    bool
	version version
}

func (w wire) String() string {
	if w.http {
		return "over HTTP, " + string(w.version)
	}
	return "over a stream, " + string(w.version)
}

// wires returns every way to reach the harness.
func (h Harness) wires() []wire {
	var all []wire
	for _, overHTTP := range []bool{false, true} {
		if overHTTP && h.HTTP == nil || !overHTTP && h.Stream == nil {
			continue
		}
		if h.Capabilities.Older {
			all = append(all, wire{overHTTP, older})
		}
		if h.Capabilities.Newer {
			all = append(all, wire{overHTTP, newer})
		}
	}
	return all
}

// incomplete names what the harness lacks if nothing can be checked without it.
func (h Harness) incomplete() string {
	switch {
	case h.Stream == nil && h.HTTP == nil:
		return "Stream or HTTP"
	case h.HTTP != nil && h.Bearer == nil:
		return "Bearer"
	case !h.Capabilities.Older && !h.Capabilities.Newer:
		return "Capabilities.Older or Capabilities.Newer"
	default:
		return ""
	}
}
