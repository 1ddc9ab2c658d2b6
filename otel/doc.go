// Package otel reports the calls of a guard to OpenTelemetry: a span for each
// call, and metrics. It is a module of its own, so that servers without it do
// not get OpenTelemetry.
//
//	observer, err := otel.New(otel.Config{})
//	...
//	g, err := guard.New(guard.WithObserver(observer))
//
// The providers of traces and metrics are the global ones, unless the [Config]
// has others. The program sets up the SDK and its exporters, as for every
// instrumentation.
//
// # Spans
//
// A call has one span of the kind SERVER, named "tools/call" and the name of
// the tool, also if the guard refuses it. Its parent is the traceparent in the
// _meta of the request (SEP-414). The span of the HTTP request is then a link.
// Without a traceparent, that span is the parent. Handlers and the store get
// the span in their context.
//
// The events of a span are toolcontract.asked, when a person is asked, and
// toolcontract.intent, when the intent is in the audit log. An operation of a
// store that processes share is a child span. If a person decides on a page,
// the span of the page gets the event toolcontract.decided.
//
// Attributes and metrics follow the semantic conventions for MCP, which are in
// development. The file attributes.md of this package has each of them, with
// its source. Names that begin with toolcontract are of this project.
//
// # What is left out
//
// No span and no metric has arguments, results, error texts, keys or tokens.
// The name of a tool is only in them if the tool is registered. The principal
// is only in spans, and only with EndUser. These members of the
// conventions are missing, because the SDKs do not pass them on: the id of the
// JSON-RPC request, the address of the client, and the duration of sessions.
//
// The client selects the trace to which its calls belong. A sampler such as
// ParentBased lets it also select which calls are recorded. If you do not trust
// your clients, use another sampler, or a Propagator that extracts nothing.
package otel
