package adapter

import "context"

// A Transport describes how a request reached the server, for a guard.Observer.
// Unknown fields are empty.
type Transport struct {
	// TraceParent, TraceState and Baggage are the members traceparent,
	// tracestate and baggage of _meta, as the client sent them (SEP-414). A
	// value of more than 8 KiB is left out.
	TraceParent, TraceState, Baggage string
	// ProtocolVersion is the version of MCP, such as 2025-11-25. Over stdio,
	// only clients of 2026-07-28 and later send it with each request.
	ProtocolVersion string
	// Session is the id of the session over HTTP. Versions from 2026-07-28 have
	// no sessions.
	Session string
	// Network is "tcp" for HTTP, and "pipe" for stdio and callers in this
	// process.
	Network string
}

// The members of _meta and the headers that describe a request.
const (
	metaProtocolVersion   = "io.modelcontextprotocol/protocolVersion"
	headerProtocolVersion = "Mcp-Protocol-Version"
	headerSession         = "Mcp-Session-Id"
)

// maxTraceValue bounds a value of the trace context, in bytes. W3C Baggage
// (3.3.2) asks for at least this much.
const maxTraceValue = 8192

// TransportFrom returns how a request reached the server. ctx is the context of
// a call, which the guard passes to an observer, a handler or a store.
func TransportFrom(ctx context.Context) Transport {
	meta := metaFrom(ctx)
	t := Transport{TraceParent: traceValue(meta, "traceparent"), TraceState: traceValue(meta, "tracestate"),
		Baggage: traceValue(meta, "baggage")}
	t.ProtocolVersion, _ = meta[metaProtocolVersion].(string)
	caller, _ := CallerFrom(ctx)
	switch {
	case len(caller.Header) > 0:
		t.Network = "tcp"
		if t.ProtocolVersion == "" {
			t.ProtocolVersion = caller.Header.Get(headerProtocolVersion)
			t.Session = caller.Header.Get(headerSession)
		}
	case caller.Local:
		t.Network = "pipe"
	}
	return t
}

// traceValue returns a member of _meta that is a string of acceptable length.
func traceValue(meta map[string]any, name string) string {
	value, _ := meta[name].(string)
	if len(value) > maxTraceValue {
		return ""
	}
	return value
}
