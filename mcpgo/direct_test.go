package mcpgo_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/invopop/jsonschema"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/adapter/wrap"
	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/mcpgo"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// A pipe is a session like that of stdio, which mcp-go does not export.
type pipe struct {
	*server.InProcessSession

	sent chan mcp.JSONRPCNotification
}

func newPipe(p *person) *pipe {
	s := &pipe{server.NewInProcessSessionWithHandlers("stdio", nil, p, nil), make(chan mcp.JSONRPCNotification, 100)}
	s.Initialize()
	return s
}

func (*pipe) SetWriter(io.Writer)                                   {}
func (p *pipe) NotificationChannel() chan<- mcp.JSONRPCNotification { return p.sent }

// A side is a server that answers calls in one of the two ways.
type side struct {
	*mcpgo.DirectServer

	guard   *guard.Guard
	log     *audit.Recorder
	session *pipe
	person  *person
	seen    []any // effects: what the handlers read in their contexts
}

// A violent value panics or ends the goroutine when it is written.
type violent struct{ Exit bool }

func (v violent) JSONSchema() *jsonschema.Schema { return &jsonschema.Schema{Type: "object"} }

func (v violent) MarshalJSON() ([]byte, error) {
	if v.Exit {
		runtime.Goexit()
	}
	panic("boom")
}

type actIn struct {
	Do string `json:"do" jsonschema:"maxLength=20"`
	N  int    `json:"n,omitempty" jsonschema:"maximum=9"`
}

type actOut struct {
	Text  string   `json:"text"`
	Float float64  `json:"float"`
	List  []string `json:"list"`
}

var errFull = contract.Retryable("disk_full", "The disk is full: <wait>.")

// tools returns one tool for each way in which calls or answers differ.
func (s *side) tools() []*contract.Tool {
	base := contract.Base{Version: "1.2.0", Effect: risk.LowRiskWrite, Trust: trust.Trusted, Permissions: []string{"notes:write"}}
	act := func(ctx context.Context, in actIn) (actOut, error) {
		s.see(ctx, in.Do)
		switch in.Do {
		case "fail":
			return actOut{}, errFull
		case "err":
			return actOut{}, errors.New("a secret")
		case "panic":
			panic("a secret")
		case "exit":
			runtime.Goexit()
		case "progress":
			guard.Progress(ctx, 1, 4, "a <quarter>")
		}
		return actOut{"<b>&\u2028\"é😀\x00" + in.Do, 1e21 + math.Pi*float64(in.N), nil}, nil
	}
	violence := func(_ context.Context, in actIn) (contract.Reply[violent], error) {
		return contract.Reply[violent]{Out: violent{Exit: in.Do == "exit"}}, nil
	}
	reply := func(context.Context, empty) (contract.Reply[string], error) {
		return contract.Reply[string]{Out: "<text>", Meta: map[string]any{"example.com/b": "<&>", "example.com/a": 1},
			Content: []contract.Content{
				contract.TextContent{Text: "\u2029"}, contract.ImageContent{Data: []byte{1, 2}, MIMEType: "image/png"},
				contract.LinkContent{URI: "file:///a?b&c", Name: "<a>"}, contract.ResourceContent{URI: "a:b", Text: "<t>"},
			}}, nil
	}
	wrapped := func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		s.see(ctx, req)
		return mcp.NewToolResultStructured(map[string]any{"b": req.GetArguments(), "a": "<"}, "text"), nil
	}
	n := &tools{}
	book := &booker{}
	return []*contract.Tool{
		contract.New("act", act).FlatName().Description("Acts.").Failures(errFull).Aliases("old_act").From(base).MustBuild(),
		contract.New("act.limited", act).Description("Acts.").RateLimit(2, time.Hour).From(base).MustBuild(),
		contract.New("act.once", act).Description("Acts.").Idempotency(contract.Idempotency{Mode: idempotency.Managed,
			ClientKey: true}).From(base).MustBuild(),
		contract.New("act.timed", act).Description("Acts.").Timeout(time.Hour).From(base).MustBuild(),
		contract.New("act.lenient", act).Description("Acts.").Lenient().From(base).MustBuild(),
		contract.New("act.others",
			act).Description("Acts.").Version("1.0.0").Effect(risk.LowRiskWrite).Trust(trust.Trusted).Permissions(
			"others:write").MustBuild(),
		contract.New("reply", reply).FlatName().Description("Replies.").From(base).MustBuild(),
		contract.New("violent", violence).FlatName().Description("Harms.").From(base).MustBuild(),
		mcpgo.Wrap(plain("wrapped", mcp.WithString("x")), wrapped).From(base).MustBuild(),
		book.tool(wrap.WithRounds(3)).MustBuild(),
		n.Send(), n.Key().MustBuild(),
	}
}

// see records what a handler can know about its request.
func (s *side) see(ctx context.Context, what any) {
	caller, ok := adapter.CallerFrom(ctx)
	principal, known := guard.PrincipalFrom(ctx)
	_, limited := ctx.Deadline()
	session := server.ClientSessionFromContext(ctx).(server.SessionWithClientInfo)
	s.seen = append(s.seen, []any{
		what, session.SessionID(), session.GetClientInfo(), session.GetClientCapabilities(), server.RequestProtocolInfoFromContext(ctx),
		server.IsModernRequest(ctx),
		server.RequestProtocolVersion(ctx), caller, ok, principal, known, limited, ctx.Err(),
	})
}

func newSide(t *testing.T) *side {
	t.Helper()
	s := &side{log: &audit.Recorder{}, person: &person{answer: approves}}
	s.session = newPipe(s.person)
	var err error
	s.guard, err = guard.New(guard.WithPrincipal(mcpgo.LocalUser("notes:write")), guard.WithAudit(s.log),
		guard.WithSealingKeys(bytes.Repeat([]byte{1}, 32)), guard.WithLogger(slog.New(slog.DiscardHandler)))
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.guard.Close(context.WithoutCancel(t.Context())) })
	s.DirectServer, err = mcpgo.NewDirectServer(t.Context(), "kit", s.guard, s.session, asWritten(mcpgo.WithTools(s.tools()...))...)
	require.NoError(t, err)
	s.Through([]byte(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",` +
		`"clientInfo":{"name":"c","version":"1"},"capabilities":{"elicitation":{}}}}`))
	return s
}

// events returns the audit events without what differs in each run.
func (s *side) events(t *testing.T) []audit.Event {
	t.Helper()
	require.NoError(t, s.guard.Close(context.WithoutCancel(t.Context())))
	all := s.log.Events()
	for i := range all {
		e := &all[i]
		e.Time, e.CallID, e.Duration = time.Time{}, "", 0
		e.ArgumentsDigest, e.LookupKey = hideDigest(e.ArgumentsDigest), hideDigest(e.LookupKey)
	}
	slices.SortStableFunc(all, func(a, b audit.Event) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	return all
}

// hideDigest replaces a digest, because it depends on the key of a guard.
func hideDigest(digest string) string {
	if digest == "" {
		return ""
	}
	return "keyed"
}

func (s *side) notifications() (all []mcp.JSONRPCNotification) {
	for {
		select {
		case n := <-s.session.sent:
			all = append(all, n)
		default:
			return all
		}
	}
}

// volatile matches what differs in each run.
var volatile = regexp.MustCompile(`"callId":"[A-Z0-9]+"|\d{4}-\d\d-\d\dT[0-9:.]+Z|retryAfterMs":\d+|[Tt]ry again in ` +
	`[0-9hms.]+|"requestState":"[^"]*"`)

func lineOf(id, params string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":` + params + `}`
}

// modernLine returns a call of protocol version 2026-07-28.
func modernLine(params, capabilities string) string {
	meta := `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"<c>",` +
		`"version":"1"},` +
		`"io.modelcontextprotocol/clientCapabilities":` + capabilities + `,"progressToken":"p"}}`
	return lineOf(`13`, strings.TrimSuffix(params, "}")+meta)
}

// directLines are calls, and whether they are taken past mcp-go.
var directLines = []struct {
	line  string
	taken bool
}{
	{lineOf(`1`, `{"name":"act","arguments":{"do":"run","n":3}}`), true},
	{lineOf(`"<a>"`, `{"name":"act","arguments":{"do":"run"}}`), false},
	{lineOf(`"a-1"`, `{"name":"act","arguments":{"n":9,"do":"\u003crun\u003e é"}}`) + "\n", true},
	{lineOf(`-999999999999999`, `{"name":"act","arguments":{"do":"fail"}}`), true},
	{lineOf(`0`, `{"name":"act","arguments":{"do":"err"}}`), true},
	{lineOf(`2`, `{"name":"act","arguments":{"do":"panic"}}`), true},
	{lineOf(`2`, `{"name":"act","arguments":{"do":"exit"}}`), true},
	{lineOf(`2`, `{"name":"act","arguments":{"do":"progress"},"_meta":{"progressToken":"p"}}`), true},
	{lineOf(`2`, `{"name":"act","arguments":{"do":"progress"},"_meta":{"progressToken":7,"traceparent":"00-a-b-01"}}`), true},
	{lineOf(`2`, `{"name":"act","arguments":{"do":"progress"},"_meta":{}}`), true},
	{lineOf(`2`, `{"name":"act","arguments":{"do":"progress"},"_meta":{"progressToken":null,"x":[1]}}`), true},
	{lineOf(`3`, `{"name":"act","arguments":{}}`), true},
	{lineOf(`3`, `{"name":"act"}`), true},
	{lineOf(`3`, `{"name":"act","arguments":null}`), false},
	{lineOf(`3`, `{"name":"act","arguments":[]}`), false},
	{lineOf(`3`, `{"name":"act","arguments":{"do":"a","do":"b"}}`), false},
	{lineOf(`3`, `{"name":"act","arguments":{"Do":"a"}}`), true},
	{lineOf(`3`, `{"name":"act","arguments":{"do":1,"n":10,"other":{"x":[]}}}`), true},
	{lineOf(`3`, `{"name":"act","arguments":{"do":"a","n":1e400}}`), false},
	{lineOf(`3`, `{"name":"act","arguments":{"do":"a","n":12345678901234567890}}`), true},
	{lineOf(`3`, `{"name":"act","arguments":{"do":"`+strings.Repeat("x", 300)+`"}}`), true},
	{lineOf(`3`, `{"name":"act","arguments":`+strings.Repeat(`{"do":`, 200)+`1`+strings.Repeat(`}`, 200)+`}`), true},
	{lineOf(`3`, `{"name":"act","arguments":{"do":"run"},"task":{}}`), false},
	{lineOf(`3`, `{"name":"act","arguments":{"do":"run"},"requestState":"x","inputResponses":{}}`), false},
	{lineOf(`3`, `{"name":"act","Name":"act.once","arguments":{"do":"run"}}`), false},
	{lineOf(`3`, `{"name":"act","arguments":{"do":"run"},"other":1}`), false},
	{lineOf(`4`, `{"name":"old_act","arguments":{"do":"run"}}`), false},
	{lineOf(`4`, `{"name":"no.such","arguments":{}}`), false},
	{lineOf(`4`, `{"name":"keys.read","arguments":{}}`), false},
	{lineOf(`4`, `{"name":"act.others","arguments":{"do":"run"}}`), true},
	{lineOf(`5`, `{"name":"act.limited","arguments":{"do":"run"}}`), true},
	{lineOf(`5`, `{"name":"act.limited","arguments":{"do":"run"}}`), true},
	{lineOf(`5`, `{"name":"act.limited","arguments":{"do":"run"}}`), true},
	{lineOf(`6`, `{"name":"act.once","arguments":{"do":"run"},"_meta":{"io.github.toolcontract/idempotencyKey":"k"}}`), true},
	{lineOf(`6`, `{"name":"act.once","arguments":{"do":"run"},"_meta":{"io.github.toolcontract/idempotencyKey":"k"}}`), true},
	{lineOf(`6`, `{"name":"act.once","arguments":{"do":"other"},"_meta":{"io.github.toolcontract/idempotencyKey":"k"}}`), true},
	{lineOf(`6`, `{"name":"act.once","arguments":{"do":"run"},"_meta":{"io.github.toolcontract/idempotencyKey":7}}`), true},
	{lineOf(`6`, `{"name":"act","arguments":{"do":"run"},"_meta":{"io.github.toolcontract/idempotencyKey":"k"}}`), true},
	{lineOf(`7`, `{"name":"act.timed","arguments":{"do":"run"}}`), true},
	{lineOf(`7`, `{"name":"act.timed","arguments":{"do":"exit"}}`), true},
	{lineOf(`8`, `{"name":"act.lenient","arguments":{"do":"run","n":"7"}}`), true},
	{lineOf(`9`, `{"name":"reply","arguments":{}}`), true},
	{lineOf(`9`, `{"name":"violent","arguments":{"do":"panic"}}`), true},
	{lineOf(`9`, `{"name":"violent","arguments":{"do":"exit"}}`), true},
	{lineOf(`10`, `{"name":"wrapped","arguments":{"x":"<y>"},"_meta":{"progressToken":7,"a":"b"}}`), true},
	{lineOf(`10`, `{"name":"wrapped"}`), true},
	{lineOf(`11`, `{"name":"book","arguments":{"for":"two"}}`), false},
	{lineOf(`12`, `{"name":"notes.send","arguments":{"text":"hi"}}`), true},
	{modernLine(`{"name":"act","arguments":{"do":"run","n":3}}`, `{}`), true},
	{modernLine(`{"name":"act","arguments":{"do":"progress"}}`, `{"elicitation":{},"sampling":{"x":1.5}}`), true},
	{modernLine(`{"name":"act","arguments":{"do":"exit"}}`, `{}`), true},
	{modernLine(`{"name":"act","arguments":{}}`, `{}`), true},
	{modernLine(`{"name":"reply","arguments":{}}`, `{}`), true},
	{modernLine(`{"name":"wrapped","arguments":{"x":"<y>"}}`, `{}`), true},
	{modernLine(`{"name":"notes.send","arguments":{"text":"<hi>"}}`, `{"elicitation":{"form":{}}}`), true},
	{modernLine(`{"name":"notes.send","arguments":{"text":"<hi>"}}`, `{}`), true},
	{modernLine(`{"name":"book","arguments":{"for":"two"}}`, `{"elicitation":{}}`), false},
	{modernLine(`{"name":"no.such","arguments":{}}`, `{}`), false},
	{modernLine(`{"name":"act","arguments":{"do":"run"}}`, `null`), false},
	{modernLine(`{"name":"act","arguments":{"do":"run"}}`, `[]`), false},
	{strings.Replace(modernLine(`{"name":"act","arguments":{"do":"run"}}`, `{}`), "2026-07-28", "2099-01-01", 1), false},
	{strings.Replace(modernLine(`{"name":"act","arguments":{"do":"run"}}`, `{}`), "2026-07-28", "2025-11-25", 1), true},
	{strings.Replace(modernLine(`{"name":"act","arguments":{"do":"run"}}`, `{}`), `"2026-07-28"`, `{}`, 1), true},
	{strings.Replace(modernLine(`{"name":"act","arguments":{"do":"run"}}`, `{}`), `"name":"<c>"`, `"name":7`, 1), true},
	{strings.Replace(modernLine(`{"name":"act","arguments":{"do":"run"}}`, `{}`), `clientInfo`, `logLevel`, 1), true},
	{`{"jsonrpc":"1.0","id":1,"method":"tools/call","params":{"name":"act","arguments":{"do":"run"}}}`, false},
	{lineOf(`14`, `{"name":"act","arguments":{"do":"run"}}`), true},
}

// A call that is taken past mcp-go has the answer, the audit events and the
// effects that it has through mcp-go, byte for byte. Its handler reads the same
// in its context.
func TestDirect_AnswersAsMCPGoDoes(t *testing.T) {
	t.Parallel()
	past, through := newSide(t), newSide(t)
	for _, l := range directLines {
		answer := past.Take([]byte(l.line))
		require.Equal(t, l.taken, answer != nil, l.line)
		var got []byte
		if answer != nil {
			got = answer()
		} else {
			got = past.Through([]byte(l.line))
		}
		want := through.Through([]byte(l.line))
		assert.Equal(t, volatile.ReplaceAllString(string(want), ""), volatile.ReplaceAllString(string(got), ""), l.line)
		assert.True(t, json.Valid(got), l.line)
		assert.Equal(t, through.notifications(), past.notifications(), l.line)
	}
	assert.Equal(t, through.seen, past.seen)
	assert.Equal(t, through.person.asked.Load(), past.person.asked.Load())
	assert.Equal(t, through.person.last.Load(), past.person.last.Load())
	events := through.events(t)
	assert.Equal(t, events, past.events(t))
	assert.NotEmpty(t, events)
}

// If the server is not private, it may have hooks, middlewares, filters or
// other tools, which only HandleMessage knows.
func TestDirect_TakesNothingOnceTheAuthorHasTheServer(t *testing.T) {
	t.Parallel()
	line := []byte(lineOf(`1`, `{"name":"calc.add","arguments":{"a":1}}`))
	for name, author := range map[string]func(context.Context) *server.MCPServer{
		"a handler": server.ServerFromContext,
		"a handler that asks a context of its own": func(ctx context.Context) *server.MCPServer {
			ctx, cancel := context.WithCancel(context.WithValue(ctx, callerKey{}, 1))
			defer cancel()
			return server.ServerFromContext(ctx)
		},
	} {
		for _, past := range []bool{true, false} {
			t.Run(fmt.Sprint(name, past), func(t *testing.T) {
				t.Parallel()
				var s *mcpgo.DirectServer
				var uses int
				add := contract.New("calc.add", func(ctx context.Context, in sdktest.AddIn) (addOut, error) {
					if in.A == 7 {
						got := author(ctx)
						assert.Same(t, s.Server(), got)
						got.Use(func(next server.ToolHandlerFunc) server.ToolHandlerFunc {
							return func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
								uses++
								return next(ctx, req)
							}
						})
					}
					return addOut{Sum: in.A}, nil
				}).Description("Adds.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).MustBuild()
				g, err := guard.New(guard.WithAudit(&audit.Recorder{}))
				require.NoError(t, err)
				s, err = mcpgo.NewDirectServer(t.Context(), "kit", g, newPipe(&person{}), asWritten(mcpgo.WithTools(add))...)
				require.NoError(t, err)
				for range 3 {
					answer := s.Take(line)
					require.NotNil(t, answer)
					answer()
				}
				asking := bytes.Replace(line, []byte(`1}`), []byte(`7}`), 1)
				if past {
					s.Take(asking)()
				} else {
					s.Through(asking)
				}
				assert.Nil(t, s.Take(line))
				s.Through(line)
				assert.Equal(t, 1, uses)
			})
		}
	}
	for name, see := range map[string]func(*guard.Guard, *mcpgo.DirectServer) []byte{
		"a principal function in a list": func(_ *guard.Guard, s *mcpgo.DirectServer) []byte {
			return s.Through([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
		},
		"a principal function in an unknown call": func(_ *guard.Guard, s *mcpgo.DirectServer) []byte {
			return s.Through([]byte(lineOf(`1`, `{"name":"no.such"}`)))
		},
		"a principal function in an unparsable call": func(_ *guard.Guard, s *mcpgo.DirectServer) []byte {
			return s.Through([]byte(lineOf(`1`, `{"name":1}`)))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g, err := guard.New(guard.WithAudit(&audit.Recorder{}),
				guard.WithPrincipal(guard.PrincipalFunc(func(ctx context.Context) (guard.Principal, error) {
					server.ServerFromContext(ctx)
					return guard.Principal{Issuer: "i", Subject: "s"}, nil
				})))
			require.NoError(t, err)
			s, err := mcpgo.NewDirectServer(t.Context(), "kit", g, newPipe(&person{}),
				asWritten(mcpgo.WithTools((&tools{}).Note(nil).MustBuild()))...)
			require.NoError(t, err)
			note := []byte(lineOf(`1`, `{"name":"notes.write","arguments":{"text":"x"}}`))
			require.NotNil(t, s.Take(note))
			see(g, s)
			assert.Nil(t, s.Take(note))
		})
	}
	t.Run("options", func(t *testing.T) {
		t.Parallel()
		s, err := mcpgo.NewDirectServer(t.Context(), "kit", nil, newPipe(&person{}),
			asWritten(mcpgo.WithTools((&tools{}).Add().MustBuild()),
				mcpgo.WithServerOptions(server.WithRecovery()))...)
		require.NoError(t, err)
		assert.Nil(t, s.Take(line))
	})
}

// A notification cancels the calls that it would cancel in mcp-go: ids are
// compared as texts, and the last of calls with equal ids ends.
func TestDirect_CallsAreCancelledByTheirIDs(t *testing.T) {
	t.Parallel()
	begun, ended := make(chan string, 10), make(chan string, 10)
	wait := contract.New("notes.wait", func(ctx context.Context, in noteIn) (string, error) {
		begun <- in.Text
		<-ctx.Done()
		ended <- in.Text
		return "", ctx.Err()
	}).Description("Waits.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).MustBuild()
	g, err := guard.New(guard.WithAudit(&audit.Recorder{}))
	require.NoError(t, err)
	s, err := mcpgo.NewDirectServer(t.Context(), "kit", g, newPipe(&person{}), asWritten(mcpgo.WithTools(wait))...)
	require.NoError(t, err)
	answers := make(chan []byte, 10)
	for _, id := range []string{`1`, `"a"`, `1000000`, `"1"`, `2`} {
		answer := s.Take([]byte(lineOf(id, fmt.Sprintf(`{"name":"notes.wait","arguments":{"text":%q}}`, id))))
		require.NotNil(t, answer)
		go func() { answers <- answer() }()
		assert.Equal(t, id, <-begun)
	}
	cancelled := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s,"reason":"x"}}`
	for _, ignored := range []string{
		"!", `{"jsonrpc":"1.0","method":"notifications/cancelled","params":{"requestId":1}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled"}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":[1]}`, fmt.Sprintf(cancelled, `3`), fmt.Sprintf(cancelled,
			`null`), fmt.Sprintf(cancelled, `"A"`),
	} {
		s.Cancelled([]byte(ignored))
	}
	for _, c := range []struct{ id, ends string }{{`1`, `"1"`}, {`1`, `1`}, {`"a"`, `"a"`}, {`"1e+06"`, `1000000`}, {`2.0`, `2`}} {
		s.Cancelled(fmt.Appendf(nil, cancelled, c.id))
		assert.Equal(t, c.ends, <-ended)
		<-answers
	}
}

// A call over the streams of a session is answered past mcp-go, and a
// notification cancels it while it runs.
func TestDirect_CallIsCancelledOverItsStream(t *testing.T) { //nolint:paralleltest // mcp-go has one stdio session
	begun := make(chan struct{})
	wait := contract.New("notes.wait", func(ctx context.Context, _ empty) (string, error) {
		info := server.RequestProtocolInfoFromContext(ctx)
		close(begun)
		<-ctx.Done()
		assert.Equal(t, &server.RequestProtocolInfo{}, info)
		return "", ctx.Err()
	}).Description("Waits.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).MustBuild()
	in, client := io.Pipe()
	answers, out := io.Pipe()
	served := make(chan error, 1)
	g, err := guard.New(guard.WithAudit(&audit.Recorder{}))
	require.NoError(t, err)
	go func() {
		served <- mcpgo.ServeNewStreams(context.Background(), "kit", g, in, out, asWritten(mcpgo.WithTools(wait))...)
	}()
	send := func(line string) {
		_, err := io.WriteString(client, line+"\n")
		require.NoError(t, err)
	}
	read := bufio.NewReader(answers)
	send(`{"jsonrpc":"2.0","id":0,"method":"ping"}`)
	nextAnswer(t, read)
	send(lineOf(`"w"`, `{"name":"notes.wait","arguments":{}}`))
	<-begun
	send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"w"}}`)
	assert.Contains(t, nextAnswer(t, read), `"status":"cancelled"`)
	require.NoError(t, client.Close())
	require.NoError(t, <-served)
}

// FuzzDirect compares the answers of both ways for any line.
func FuzzDirect(f *testing.F) {
	for _, l := range directLines {
		f.Add([]byte(l.line))
	}
	newServer := func() *mcpgo.DirectServer {
		g, err := guard.New(guard.WithAudit(&audit.Recorder{}))
		require.NoError(f, err)
		f.Cleanup(func() { _ = g.Close(context.Background()) })
		act := contract.New("act", func(_ context.Context, in actIn) (actIn, error) { return in, nil }).FlatName().
			Description("Acts.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).MustBuild()
		s, err := mcpgo.NewDirectServer(f.Context(), "fuzz", g, newPipe(&person{}), mcpgo.WithTools(act))
		require.NoError(f, err)
		return s
	}
	past, through := newServer(), newServer()
	f.Fuzz(func(t *testing.T, line []byte) {
		answer := past.Take(line)
		if answer == nil {
			return
		}
		want := through.Through(line)
		assert.Equal(t, volatile.ReplaceAllString(string(want), ""), volatile.ReplaceAllString(string(answer()), ""))
	})
}
