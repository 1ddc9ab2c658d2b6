package mcpgo

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"reflect"
	"slices"
	"unsafe"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/adapter/belt"
	"github.com/toolcontract/toolcontract/adapter/wrap"
	"github.com/toolcontract/toolcontract/mcpgo/internal/native"
	"github.com/toolcontract/toolcontract/mcpgo/internal/session"
	"github.com/toolcontract/toolcontract/mcpgo/internal/unexported"
)

// Protect contains the calls of all tools of s, including those of sessions and
// those that are added later, and needs no decision about any of them. Call it
// once, before s serves.
//
//	report, err := mcpgo.Protect(s)
//
// Each call then has a time limit, and limits on its arguments and its result.
// Each caller has a rate limit for each tool, and a limit on the calls that run
// at once. A caller is the principal of the guard, or else the session. A
// panic, or a handler that ends its goroutine, ends only its call; one in a
// goroutine that the handler starts still ends the process. A Go error and a
// panic reach the caller as internal_error, without their texts. Each call is
// one audit event. A refused call is a result with isError, whose
// [contract.Outcome] says whether to retry. See [belt.Settings] for the limits.
//
// Everything else stays as the server has it. The tools are listed as they
// were. A result is mcp-go's own, with the outcome added to its _meta: so the
// text of a result with isError is the author's, requests for input pass, and
// an mcp.URLElicitationRequiredError reaches the client. Arguments and results
// that do not fit their schemas are only reported, unless [belt.Strict] is
// given. Unknown callers may call, and a failing audit sink refuses nothing.
//
// A tool with a contract keeps it: Protect does nothing for the tools of
// [Register], [WrapAll] and [AddTool], whether they come before or after it. A
// task of mcp-go does not pass through Protect.
//
// Protect is one tool handler middleware, inside those that s has already.
// mcp-go does not audit calls of unknown names, nor does Protect. Over HTTP
// without sessions, mcp-go does not tell callers apart, so they share their
// limits, unless the guard knows them.
//
// The report says what the next clauses would bring to each tool. If Protect
// returns an error, s is unchanged. The error joins a
// [contract.DeclarationError] for each mistake.
func Protect(s *server.MCPServer, settings ...belt.Settings) (*wrap.Report, error) {
	if s == nil {
		return nil, errNilServer()
	}
	b, err := adapter.NewBelt(s, unexported.NameOf(s), settings)
	if err != nil {
		return nil, err
	}
	s.Use((&protection{server: s, belt: b}).middleware)
	var tools []adapter.Definition
	if b := bindingOf(s); b != nil {
		b.table() // no tool of AddTool waits
	}
	registered := s.ListTools()
	for _, name := range slices.Sorted(maps.Keys(registered)) {
		if entryBehind(registered[name].Handler) == nil {
			d, _ := native.Definition(registered[name].Tool) // a call reports what cannot be read
			tools = append(tools, d)
		}
	}
	return b.Report(tools), nil
}

// A protection is the belt of one server.
type protection struct {
	server *server.MCPServer
	belt   *adapter.Belt
}

// middleware takes the calls of tools without a contract through the belt.
func (p *protection) middleware(next server.ToolHandlerFunc) server.ToolHandlerFunc {
	return func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		tool := toolOf(ctx, req.Params.Name)
		if tool == nil { // middleware has changed the name, or the tool is gone since mcp-go found it
			tool = &server.ServerTool{}
		}
		if entryBehind(tool.Handler) != nil {
			return next(ctx, req)
		}
		return p.call(ctx, req, tool, next)
	}
}

// toolOf returns the tool that mcp-go runs for a name, or nil.
func toolOf(ctx context.Context, name string) *server.ServerTool {
	if with, ok := server.ClientSessionFromContext(ctx).(server.SessionWithTools); ok {
		if t, ok := with.GetSessionTools()[name]; ok {
			return &t
		}
	}
	if s := server.ServerFromContext(ctx); s != nil {
		return s.GetTool(name)
	}
	return nil
}

func (p *protection) call(
	ctx context.Context, req mcp.CallToolRequest, tool *server.ServerTool, next server.ToolHandlerFunc,
) (*mcp.CallToolResult, error) {
	meta := native.Meta(req.Params.Meta)
	request := adapter.Request{
		Arguments: native.Arguments(req.Params), Meta: meta,
		Client: adapter.Client{Modern: mcp.IsModernProtocol(server.RequestProtocolVersion(ctx))},
	}
	if id := session.ID(ctx); isOpen(p.server, id) { // clients make up the others, which mcp-go accepts without sessions
		request.Caller = "session " + id
	}
	define := func() (adapter.Definition, error) {
		d, mistakes := native.Definition(tool.Tool)
		if len(mistakes) > 0 {
			return d, mistakes[0]
		}
		return d, nil
	}
	answer, err := p.belt.Call(session.WithCaller(ctx, req.Header), req.Params.Name, versionOf(&tool.Tool), define, request,
		func(ctx context.Context) (*adapter.CallResult, error) {
			ctx = session.WithPause(ctx, func() func() { return p.belt.Pause(ctx) })
			return passed(next(ctx, req))
		})
	if err != nil {
		return nil, native.SDKError(err)
	}
	own, ok := answer.Passed.(*mcp.CallToolResult)
	if !ok {
		return native.Result(answer), nil
	}
	result := *own
	result.Meta = mcp.NewMetaFromMap(answer.Meta)
	return &result, nil
}

// A toolVersion tells versions of a tool apart without reading its schemas.
type toolVersion struct {
	readOnly *bool
	schemas  [10]identity
}

func versionOf(t *mcp.Tool) toolVersion {
	v := toolVersion{readOnly: t.Annotations.ReadOnlyHint}
	in, out := &t.InputSchema, &t.OutputSchema
	for i, part := range []any{
		in.Properties, in.Required, in.Defs, in.AdditionalProperties, t.RawInputSchema,
		out.Properties, out.Required, out.Defs, out.AdditionalProperties, t.RawOutputSchema,
	} {
		v.schemas[i] = identityOf(part)
	}
	return v
}

// An identity tells values apart by their address, which stays theirs as long as
// the identity is kept.
type identity struct {
	at   unsafe.Pointer
	size int
}

func identityOf(part any) identity {
	switch v := reflect.ValueOf(part); v.Kind() {
	case reflect.Map, reflect.Slice:
		return identity{v.UnsafePointer(), v.Len()}
	case reflect.Pointer:
		return identity{at: v.UnsafePointer()}
	case reflect.Bool:
		if v.Bool() {
			return identity{size: 1}
		}
	default:
	}
	return identity{}
}

// passed describes a handler's answer. An error that is not for the client is
// masked.
func passed(r *mcp.CallToolResult, err error) (*adapter.CallResult, error) {
	if err != nil || r == nil {
		return nil, cmp.Or(native.OwnError(err), errNoResult)
	}
	p := &adapter.CallResult{Passed: r, IsError: r.IsError, Meta: native.Meta(r.Meta)}
	if native.AsksForInput(r) {
		p.ResultType = string(mcp.ResultTypeInputRequired)
		return p, nil
	}
	p.Structured, err = native.Structured(r)
	return p, err
}

var errNoResult = errors.New("mcpgo: the handler returned no result")
