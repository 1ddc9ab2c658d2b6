package gosdk

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/adapter/belt"
	"github.com/toolcontract/toolcontract/adapter/wrap"
)

// Protect contains the calls of all tools of s, including those that are added
// later, and needs no decision about any of them. Call it once, before s
// serves.
//
//	report, err := gosdk.Protect(s)
//
// Each call then has a time limit, and limits on its arguments and its result.
// Each caller has a rate limit for each tool, and a limit on the calls that run
// at once. A caller is the principal of the guard, or else the UserID of the
// token info, or else the session. A panic, or a handler that ends its
// goroutine, ends only its call; one in a goroutine that the handler starts
// still ends the process. A Go error of a low-level handler and a panic reach
// the caller as internal_error, without their texts. Each call is one audit
// event. A refused call is a result with IsError, whose [contract.Outcome] says
// whether to retry. See [belt.Settings] for the limits.
//
// Everything else stays as the server has it. The tools are listed as they
// were. A result is the SDK's own, with the outcome added to its _meta: so the
// text of a result with IsError is the author's, requests for input pass, and a
// *jsonrpc.Error reaches the client as it is. Arguments and results that do not
// fit their schemas are only reported, unless [belt.Strict] is given. Unknown
// callers may call, and a failing audit sink refuses nothing.
//
// A tool with a contract keeps it: Protect does nothing for the tools of
// [Register], [WrapAll] and [AddTool], whether they come before or after it.
//
// Protect is one receiving middleware. Middleware that s has already runs
// inside it. If some of it serves tools by names that s does not list, add it
// after Protect instead, because those calls have no limits. Over HTTP without sessions and tokens, the SDK does not tell
// callers apart, so they share their limits, unless the guard knows them.
//
// The report says what the next clauses would bring to each tool. If Protect
// returns an error, s is unchanged. The error joins a
// [contract.DeclarationError] for each mistake.
func Protect(s *mcp.Server, settings ...belt.Settings) (*wrap.Report, error) {
	if s == nil {
		return nil, errNilServer()
	}
	state, err := inspect(s)
	if err != nil {
		return nil, err
	}
	b, err := adapter.NewBelt(s, state.name, settings)
	if err != nil {
		return nil, err
	}
	p := &protection{server: s, belt: b}
	s.AddReceivingMiddleware(p.receive)
	s.AddSendingMiddleware(p.send)
	var tools []adapter.Definition
	for _, name := range slices.Sorted(maps.Keys(state.tools)) {
		if !p.hasContract(name, false) {
			d, _ := definitionOf(state.tools[name]) // a call reports what cannot be read
			tools = append(tools, d)
		}
	}
	return b.Report(tools), nil
}

// A protection is the belt of one server.
type protection struct {
	server *mcp.Server
	belt   *adapter.Belt
}

// hasContract reports whether a name belongs to a contract of the server. At a
// request, the tools of AddTool no longer wait.
func (p *protection) hasContract(name string, atRequest bool) bool {
	b := bindingOf(p.server)
	return b != nil && (b.settle(atRequest) != nil || !b.isPlain(name)) // an unsettled binding refuses the call
}

// receive is the receiving middleware of Protect.
func (p *protection) receive(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		r, ok := req.(*mcp.CallToolRequest)
		if !ok || method != methodCallTool || p.hasContract(r.Params.Name, true) {
			return next(ctx, method, req)
		}
		return p.call(ctx, r, next)
	}
}

// call takes a call of a tool without a contract through the belt.
func (p *protection) call(ctx context.Context, req *mcp.CallToolRequest, next mcp.MethodHandler) (mcp.Result, error) {
	name := req.Params.Name
	found, err := registeredTools(ctx, req.Session, name)
	if err != nil {
		return nil, internalError(err)
	}
	identified := identify(ctx, req.Session, req.Extra)
	tool := found[name]
	if tool == nil {
		p.belt.Unknown(identified, name)
		return next(ctx, methodCallTool, req)
	}
	request := adapter.Request{
		Arguments: req.Params.Arguments, Meta: req.Params.Meta, Client: adapter.Client{Modern: isModern(req.Params.Meta)},
		Caller: callerOf(req),
	}
	answer, err := p.belt.Call(identified, name, tool, func() (adapter.Definition, error) { return definitionOf(tool) }, request,
		func(ctx context.Context) (*adapter.CallResult, error) { return passed(next(ctx, methodCallTool, req)) })
	if own, ok := errors.AsType[*adapter.RPCError](err); ok {
		return nil, &jsonrpc.Error{Code: own.Code, Message: own.Message, Data: own.Data}
	}
	if err != nil {
		return nil, err
	}
	own, ok := answer.Passed.(*mcp.CallToolResult)
	if !ok {
		return (&call{req: req}).result(&registration{adopted: true}, req, answer)
	}
	result := *own
	result.Meta = answer.Meta
	return &result, nil
}

// send is the sending middleware of Protect. While a client answers a request of
// a handler, the time of the call stands still.
func (p *protection) send(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if method == methodElicit || method == methodSample || method == methodListRoots {
			defer p.belt.Pause(ctx)()
		}
		return next(ctx, method, req)
	}
}

// passed describes the answer from below the middleware of Protect. A Go error
// that is no JSON-RPC error is masked.
func passed(result mcp.Result, err error) (*adapter.CallResult, error) {
	r, ok := result.(*mcp.CallToolResult)
	if err != nil || !ok || r == nil {
		return nil, cmp.Or(ownError(err), errNoResult)
	}
	p := &adapter.CallResult{Passed: r, IsError: r.IsError, Meta: r.Meta}
	if r.NeedsInput() {
		p.ResultType = "input_required"
	}
	p.Structured, err = structuredContent(r.StructuredContent)
	return p, err
}

// callerOf tells apart the callers that the guard does not know.
func callerOf(req *mcp.CallToolRequest) string {
	if req.Extra != nil && req.Extra.TokenInfo != nil && req.Extra.TokenInfo.UserID != "" {
		return "token " + req.Extra.TokenInfo.UserID
	}
	if isOverHTTP(req) && req.Session.ID() == "" {
		return "" // each request has a session of its own
	}
	return "session " + sessionKey(req.Session)
}
