package catalog_test

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/agent/client"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/gateway/catalog"
)

// A server is a list of tools that a test changes between cycles.
type server struct {
	tools []string // as JSON
	err   error
}

func (s *server) ListTools(context.Context) (client.Listing, error) {
	var l client.Listing
	for _, tool := range s.tools {
		l.Tools = append(l.Tools, json.RawMessage(tool))
	}
	return l, s.err
}

// listing returns a server with tools.
func listing(tools ...string) *server { return &server{tools: tools} }

// mail is the source of most tests.
func mail(s *server) []catalog.Source { return []catalog.Source{{Name: "mail", Lister: s}} }

// ownMail is mail as the operator's own server.
func ownMail(s *server) []catalog.Source {
	return []catalog.Source{{Name: "mail", Lister: s, Own: true}}
}

// An option sets a part of the options.
type option func(*catalog.Options)

func withOverrides(o catalog.Overrides) option { return func(c *catalog.Options) { c.Overrides = o } }
func withAdvice(o catalog.Overrides) option {
	return func(c *catalog.Options) { c.Advice = []catalog.Overrides{o} }
}
func withStateFile(path string) option       { return func(c *catalog.Options) { c.StateFile = path } }
func withListTimeout(d time.Duration) option { return func(c *catalog.Options) { c.ListTimeout = d } }
func withMaxTools(n int) option              { return func(c *catalog.Options) { c.MaxTools = n } }

func newCatalog(t *testing.T, sources []catalog.Source, opts ...option) *catalog.Catalog {
	t.Helper()
	var all catalog.Options
	for _, o := range opts {
		o(&all)
	}
	c, err := catalog.New(sources, all)
	require.NoError(t, err)
	return c
}

func refresh(t *testing.T, c *catalog.Catalog) catalog.Cycle {
	t.Helper()
	cycle, err := c.Refresh(t.Context())
	require.NoError(t, err)
	assert.Equal(t, cycle, c.Cycle())
	return cycle
}

func entry(t *testing.T, c catalog.Cycle, name string) catalog.Entry {
	t.Helper()
	e, ok := c.Entry(name)
	require.True(t, ok, "there is no tool %s", name)
	return e
}

// overrides parses an operator's file about the tools of mail.
func overrides(t *testing.T, tools string) catalog.Overrides {
	t.Helper()
	o, err := catalog.ParseOverrides([]byte(`{"format":1,"servers":{"mail":{"tools":` + tools + `}}}`))
	require.NoError(t, err)
	return o
}

func stateFile(t *testing.T) string {
	t.Helper()
	return filepath.Join(t.TempDir(), "state.json")
}

// tool returns a tool with more members.
func tool(name, members string) string {
	text := `{"name":"` + name + `","inputSchema":{"type":"object"}`
	if members != "" {
		text += "," + members
	}
	return text + "}"
}

// declared returns a tool with a contract in _meta.
func declared(name, members string) string {
	return tool(name, `"_meta":{"io.github.toolcontract/contract":{"format":1,`+members+`}}`)
}

// served returns the contracts of the served tools of a cycle.
func served(c catalog.Cycle, base contract.Base) (tools []*contract.Tool, err error) {
	for _, e := range c.Entries {
		if e.Status != catalog.Served {
			continue
		}
		tool, wrong := e.Contract(refuse, wrapConfig).From(base).Build()
		if err = errors.Join(err, wrong); wrong == nil {
			tools = append(tools, tool)
		}
	}
	return tools, err
}

// changes returns the changes of a kind.
func changes(c catalog.Cycle, kind string) []catalog.Change {
	var found []catalog.Change
	for _, change := range c.Changes {
		if change.Kind == kind {
			found = append(found, change)
		}
	}
	return found
}

// rules returns the rules of problems.
func rules(problems []catalog.Problem) []string {
	var found []string
	for _, p := range problems {
		found = append(found, p.Rule)
	}
	return found
}

// refuse is a handler that nothing reaches.
func refuse(context.Context, adapter.HandlerCall) (*adapter.HandlerResult, error) {
	return nil, errors.New("the handler ran")
}

var wrapConfig adapter.WrapConfig
