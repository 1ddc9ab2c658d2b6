package adapter_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

type (
	empty  struct{}
	noteIn struct {
		Text string `json:"text" jsonschema:"maxLength=100"`
	}
)

// note returns a tool that needs the permission notes:write.
func note() *contract.Builder[noteIn, string] {
	return contract.New("notes.write", func(_ context.Context, in noteIn) (string, error) { return "wrote " + in.Text, nil }).
		Description("Writes a note. Search with notes.find first.").Version("1.0.0").Effect(risk.LowRiskWrite).Trust(trust.Trusted).
		Permissions("notes:write").Aliases("notes.add")
}

// find returns a tool that everybody may call.
func find() *contract.Builder[empty, contract.Reply[string]] {
	return contract.New("notes.find", func(context.Context, empty) (contract.Reply[string], error) {
		return contract.Reply[string]{Out: "none", Meta: map[string]any{
			"example.com/shown": 1, "io.modelcontextprotocol/serverInfo": "forged", "io.github.toolcontract/outcome": "forged",
			"io.github.toolcontract/contract": "forged",
		}}, nil
	}).Description("Finds notes.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted)
}

// key returns a forbidden tool.
func key() *contract.Builder[empty, string] {
	return contract.New("keys.read", func(context.Context, empty) (string, error) { return "-----BEGIN", nil }).
		Description("Reads the private key.").Version("1.0.0").Risk(risk.Forbidden).Effect(risk.ReadOnly).Trust(trust.Sensitive).
		Permissions("keys:read")
}

func all() []*contract.Tool {
	return []*contract.Tool{note().MustBuild(), find().MustBuild(), key().MustBuild()}
}

func verify(_ context.Context, token string) (guard.Principal, error) {
	p := guard.Principal{Issuer: "test", Subject: token}
	switch token {
	case "alice":
		p.Permissions = []string{"notes:write", "keys:read"}
	case "bob":
	default:
		return guard.Principal{}, errors.New("unknown token")
	}
	return p, nil
}

// as returns the context of a request over HTTP.
func as(t *testing.T, token string) context.Context {
	t.Helper()
	return adapter.WithCaller(t.Context(), adapter.Caller{Header: http.Header{"Authorization": {"Bearer " + token}}})
}

// newTable returns a table with its audit log.
func newTable(t *testing.T, c adapter.Config, opts ...guard.Option) (*adapter.Table, *audit.Recorder) {
	t.Helper()
	log := &audit.Recorder{}
	g, err := guard.New(append([]guard.Option{guard.WithPrincipal(adapter.Bearer(verify)), guard.WithAudit(log)}, opts...)...)
	require.NoError(t, err)
	t.Cleanup(func() { _ = g.Close(context.WithoutCancel(t.Context())) })
	table, err := adapter.NewTable(g, c)
	require.NoError(t, err)
	return table, log
}

// call calls a name that the table has.
func call(ctx context.Context, t *testing.T, table *adapter.Table, name, arguments string) *adapter.CallResult {
	t.Helper()
	return send(ctx, t, table, name, adapter.Request{Arguments: json.RawMessage(arguments)})
}

func send(ctx context.Context, t *testing.T, table *adapter.Table, name string, r adapter.Request) *adapter.CallResult {
	t.Helper()
	e := table.Entry(name)
	require.NotNil(t, e, name)
	answer, err := table.Call(ctx, e, r)
	require.NoError(t, err)
	return answer
}

// rules returns the rules of the mistakes in an error, each with its tool.
func rules(err error) []string {
	var found []string
	for _, e := range contract.DeclarationErrors(err) {
		found = append(found, e.Rule+" "+e.Tool)
	}
	return found
}

// listed returns the names that tools/list has for the caller of ctx, sorted.
func listed(ctx context.Context, table *adapter.Table) []string {
	isListed := table.Lists(ctx)
	return names(slices.DeleteFunc(table.Entries(), func(e *adapter.Entry) bool { return !isListed(e) }))
}

func names(entries []*adapter.Entry) []string {
	var found []string
	for _, e := range entries {
		found = append(found, e.Name())
	}
	return found
}
