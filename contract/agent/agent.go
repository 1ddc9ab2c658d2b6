package agent

import "context"

// An Agent calls the tools of one server. [Connect] makes one. It is safe for
// concurrent use.
type Agent struct {
	config
}

// Connect dials a server and lists its tools. The caller must close the agent.
// Errors are those of the dialer and of the list, and of options that
// contradict each other.
func Connect(ctx context.Context, d Dialer, opts ...Option) (*Agent, error) { return nil, nil }

// Close ends the session with the server. Running calls end with an error.
func (a *Agent) Close() error { return nil }

// Tools returns all listed tools, sorted by name. It includes the tools that
// the agent refuses to call; see [Tool.Refusal].
func (a *Agent) Tools() []Tool { return nil }

// Tool returns the tool of a listed name.
func (a *Agent) Tool(name string) (Tool, bool) { return Tool{}, false }

// Refresh lists the tools again, for example after a notification that the list
// changed.
func (a *Agent) Refresh(ctx context.Context) error { return nil }

// Call calls a tool and returns its result. The arguments are encoded as JSON;
// a json.RawMessage is sent as it is, and nil means none. They must be an
// object.
//
// The error is a [*RetryError] or a [*FatalError]. If ctx ends before the call
// is known to have had no effect, it is a FatalError with
// [contract.CodeOutcomeUnknown] that wraps the error of ctx.
func (a *Agent) Call(ctx context.Context, tool string, arguments any, opts ...CallOption) (*Result, error) {
	return nil, nil
}

// Preview makes the dry run of a call. Give the result to [FromPreview] to make
// the call. A tool without a dry run is a [*RetryError].
func (a *Agent) Preview(ctx context.Context, tool string, arguments any, opts ...CallOption) (*Result, error) {
	return nil, nil
}

// Call calls a tool with [Agent.Call] and decodes its structured content into
// Out. An Out of string takes the text of a result without structured content.
// Members that Out does not have are ignored. If the content does not fit Out,
// the error is a [*FatalError] with [contract.CodeOutputInvalid]; the call has
// had its effect.
func Call[Out any](ctx context.Context, a *Agent, tool string, arguments any, opts ...CallOption) (Out, error) {
	var out Out
	return out, nil
}
