package sdks_test

import (
	"context"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/adapter/belt"
	"github.com/toolcontract/toolcontract/adapter/wrap"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/serve/program"
)

type (
	era   = sdktest.Era
	tools = sdktest.Tools
	empty = sdktest.Empty
)

const (
	legacy = sdktest.Legacy
	modern = sdktest.Modern
)

// all lists the SDKs that have an adapter.
var all = []sdk{mcpgoSDK{}, gosdkSDK{}}

// eachSDK runs a test for each SDK, in parallel.
func eachSDK(t *testing.T, f func(*testing.T, sdk)) {
	t.Helper()
	for _, s := range all {
		t.Run(s.Name(), func(t *testing.T) {
			t.Parallel()
			f(t, s)
		})
	}
}

// eachEra runs a test for each SDK and each generation of the protocol.
func eachEra(t *testing.T, f func(*testing.T, sdk, era)) {
	t.Helper()
	eachSDK(t, func(t *testing.T, s sdk) {
		sdktest.EachEra(t, func(t *testing.T, e era) { f(t, s, e) })
	})
}

// An sdk is an SDK with its adapter. Its methods call the adapter functions of
// the same name, unless they say otherwise.
type sdk interface {
	// Name is the name of the adapter's package.
	Name() string
	Bearer(verify func(context.Context, string) (guard.Principal, error)) guard.PrincipalFunc
	LocalUser(permissions ...string) guard.PrincipalSource
	NewServer(name, version string, g *guard.Guard, with options) (server, error)
	NewHandler(name, version string, g *guard.Guard, with options) (http.Handler, error)
	ServeStdio(name, version string, g *guard.Guard, with options) error
	Wrap(tool definition, h handler, opts ...wrap.Option) *wrap.Builder

	// Existing creates an SDK server without contracts. kind is one of Kinds,
	// or empty; a pageSize of zero means one page.
	Existing(name, kind string, pageSize int) server
	// Library creates an SDK server with a tool, a resource, a prompt and
	// completions, all without contracts.
	Library(name, version string) server
	// Program serves a program with a server; a nil pointer means a new one.
	Program(server) program.SDK
	// Kinds lists the ways to configure an SDK server that make a difference
	// for tools without a contract.
	Kinds() []string
	// Nil returns a server that is a nil pointer.
	Nil() server
	// Client connects an SDK client. Without a person it can't be asked.
	Client(t *testing.T, to endpoint, e era, p *person) client
	// Unknown is the error text for a name that doesn't exist.
	Unknown(name string) string
	// PageRequired is the SDK's error of a handler that needs the person to
	// open a page.
	PageRequired(question) error
}

// A server is a server of an SDK. Its first methods are the SDK's own; the
// others call the adapter functions of the same name.
type server interface {
	AddTool(tool definition, h handler)
	// AddTyped calls the adapter's AddTool with a typed handler, whose error is a
	// Go error.
	AddTyped(g *guard.Guard, name string, h func(context.Context, credentials) (done, error), base contract.Base) error
	RemoveTool(name string)
	// AddAsking calls the adapter's AddTool with a typed handler.
	AddAsking(g *guard.Guard, name string, h asker, base contract.Base) error
	// Handle answers a message without a transport, for an anonymous caller.
	Handle(t *testing.T, message string) string
	// Sessions serves the server over HTTP with sessions.
	Sessions(t *testing.T) http.Handler

	Register(g *guard.Guard, with options) error
	WrapAll(g *guard.Guard, rules wrap.Rules, with options) (*wrap.Report, error)
	Protect(opts ...belt.Settings) (*wrap.Report, error)
	Add(tools ...*contract.Tool) error
	Replace(tools ...*contract.Tool) error
	Verify() error
	ToolsOf() []*contract.Tool
	HandlerOf() (http.Handler, error)
	ServeStdioServer() error
}

// A client is a client of an SDK.
type client interface {
	// Names lists the tools and returns their names.
	Names(t *testing.T) []string
	// Beside lists and reads a resource, lists and gets a prompt, and completes
	// its argument. It returns what it found.
	Beside(t *testing.T) []string
	// Call returns a response with the result of a call, or the client's error.
	Call(ctx context.Context, tool string, arguments any) (string, error)
}

// An endpoint is where a client connects: a URL with the caller's token, or
// this binary, started with environment variables.
type endpoint struct {
	url, token string
	env        []string
}

// options holds what the options of every adapter can express.
type options struct {
	adapter.Config

	closedWorld    bool
	nilOption      bool // a nil option
	serverOption   bool // an option for the SDK itself
	pageSize       int  // zero: not given
	sessionTimeout time.Duration
	in             io.Reader // nil: not given
	out            io.Writer
	sharedStdout   bool
}

// A definition is a tool as its author writes it for the SDK.
type definition struct {
	name, title, description                string
	input, output                           string // JSON; empty: an object, and no schema
	readOnly, destructive, idempotent, open *bool
	icon                                    string
	meta                                    map[string]any
}

// A handler is a handler written for the SDK. The result is nil if the handler
// returns none.
type handler func(context.Context, request) (*result, error)

// A request is what the SDK passes to a handler.
type request struct {
	name, arguments string
	header          http.Header
	progressToken   any
	meta            map[string]any
	state           string
	responses       int // how many
	// response returns the answer to a question of an earlier round, or nil if
	// there is none.
	response func(name string) *answer
	// ask asks within the call.
	ask func(context.Context, form) (answer, error)
}

// A result is what a handler returns.
type result struct {
	text       string // empty: no content
	afterImage string // a further text after an image; empty: neither
	structured any
	isError    bool
	meta       map[string]any
	state      string
	asks       map[string]form // nil: the result asks nothing
}

// A form is a question with fields.
type form struct {
	message  string
	fields   map[string]string // types by name
	required []string
}

func (f form) schema() map[string]any {
	properties := map[string]any{}
	for name, kind := range f.fields {
		properties[name] = map[string]any{"type": kind}
	}
	schema := map[string]any{"type": "object", "properties": properties}
	if f.required != nil {
		schema["required"] = f.required
	}
	return schema
}

// A question is what a person is asked.
type question struct {
	mode, message, url, id string
	schema                 any
}

// An answer is that of a person.
type answer struct {
	action  string
	content map[string]any
}

var (
	approves = answer{"accept", map[string]any{"confirm": true}}
	declines = answer{action: "decline"}
	cancels  = answer{action: "cancel"}
)
