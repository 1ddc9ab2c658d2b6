// Package otel reports a guard's calls to OpenTelemetry: a span for each call,
// and metrics. It is a separate module, so that servers without it do not
// depend on OpenTelemetry.
//
//	observer, err := otel.New(otel.Config{})
//	...
//	g, err := guard.New(guard.WithObserver(observer))
//
// It uses the global tracer and meter providers unless the [Config] has others.
// The program sets up the SDK and its exporters, as for any instrumentation.
//
// # Spans
//
// A call has one span of the kind SERVER, named "tools/call" plus the tool's
// name, even if the guard refuses it. Its parent is the traceparent in the
// _meta of the request (SEP-414). The span of the HTTP request is then a link.
// Without a traceparent, that span is the parent. It gets the outcome as well,
// so that a middleware's span around the call has it. Handlers and the store get
// the span of the call in their context.
//
// The events of a span are toolcontract.asked, when a person is asked, and
// toolcontract.intent, when the intent is in the audit log. An operation on a
// shared store is a child span. If a person decides on a page, the page's span
// gets the event toolcontract.decided.
//
// Attributes and metrics follow the semantic conventions for MCP, which are in
// development. The file attributes.md in this package lists each of them with
// its source. Names that start with toolcontract are this project's own.
//
// # What is left out
//
// No span or metric has arguments, results, error texts, keys or tokens. A
// tool's name appears only if the tool is registered. The principal is only in
// spans, and only with EndUser. These members of the conventions are missing,
// because the SDKs do not pass them on: the ID of the JSON-RPC request, the
// client's address, and the duration of sessions.
//
// The client chooses the trace that its calls belong to. With a sampler such as
// ParentBased, it also chooses which calls are recorded. If you do not trust
// your clients, use another sampler, or a Propagator that extracts nothing.
package otel
