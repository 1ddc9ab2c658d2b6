package adapters_test

import (
	"context"
	"io"
	"net/http"
	"time"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/guard"
)

// Settings are what a server of the adapter has to serve. A Harness gets other
// Settings for each server.
type Settings struct {
	// Config has the tools and how they are listed, as [adapter.NewTable] takes
	// it. No other tool is on the server. Config.Server is the name that the
	// server reports to its clients.
	adapter.Config
	// Version is the version that the server reports.
	Version string
	// Guard runs every call. The suite closes it; the adapter may close it when
	// a Stream ends.
	Guard *guard.Guard
	// PageSize is how many tools a page of tools/list has. Zero: all tools. An
	// adapter without [Capabilities.Pages] ignores it.
	PageSize int
}

// A Harness makes servers of the adapter under test. At least one of Stream and
// HTTP is required; with both, every rule is checked over both.
type Harness struct {
	// Stream starts a server and returns the client's end of its connection,
	// which carries messages as lines, as over standard input and output. Nil:
	// the adapter has no such transport.
	//
	// Close of the connection ends the server's input, and returns when the
	// server has ended. If the connection has a method CloseWrite() error,
	// which ends only the input, the suite also checks that everything read is
	// still answered, and that the stream then ends.
	Stream func(Settings) (io.ReadWriteCloser, error)
	// HTTP returns a server's endpoint over streamable HTTP. The suite sends
	// requests to the path "/mcp". Nil: the adapter has no such transport.
	HTTP func(Settings) (http.Handler, error)
	// Bearer returns the adapter's principal function for the bearer tokens of
	// HTTP requests. It is required if HTTP is set. Over a Stream the suite has
	// a principal function of its own.
	Bearer func(verify func(ctx context.Context, token string) (guard.Principal, error)) guard.PrincipalFunc
	// Capabilities state what the adapter can do. Rules that need another
	// capability are skipped.
	Capabilities Capabilities

	patience time.Duration // how long the suite waits for one message
}

// Capabilities state what an adapter can do. They differ because SDKs differ.
// The zero value states none; [All] states all.
type Capabilities struct {
	// Older and Newer state the versions of the protocol that the adapter
	// speaks: 2025-11-25, which begins with initialize, and 2026-07-28, in
	// which every request carries the client's capabilities. One is required.
	Older, Newer bool
	// ExactArguments: the guard gets the arguments in the bytes of the request.
	ExactArguments bool
	// Pages: tools/list has pages of [Settings.PageSize] tools.
	Pages bool
	// Tasks: the adapter sees that a call requests a task.
	Tasks bool
	// Unparsable: calls whose parameters cannot be read are audited, and their
	// answers repeat none of the parameters.
	Unparsable bool
	// Sessions: over HTTP the adapter has sessions, so that it can ask older
	// clients there too.
	Sessions bool
	// AsksWithin: the adapter asks older clients within the call. Over HTTP it
	// needs Sessions.
	AsksWithin bool
	// AsksInRounds: the adapter asks newer clients with a result, whose answer
	// comes with another call.
	AsksInRounds bool
	// Progress: the adapter sends the progress of handlers.
	Progress bool
	// Cancels: the adapter ends the context of a call that its client cancels.
	Cancels bool
	// Recovers: on a Stream, a line that is not JSON does not end the session.
	Recovers bool
}

// All returns all capabilities, each of which a caller may then take back.
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

// wires returns every way in which the harness can be reached.
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

// incomplete names what the harness lacks without which nothing can be checked.
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
