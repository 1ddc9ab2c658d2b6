package mcpgo_test

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/mcpgo"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

func TestWithNames_UnderscoreNamesReplaceTheDottedOnes(t *testing.T) {
	t.Parallel()
	n := &tools{}
	add := n.Add().Aliases("calc.add").Deprecated(contract.Deprecation{Since: "1.2.0", ReplacedBy: "notes.write"}).MustBuild()
	k := newKit(t, []*contract.Tool{add, n.Note(nil).MustBuild(), n.Key().MustBuild()}, mcpgo.WithNames(contract.Underscore))
	sdktest.EachEra(t, func(t *testing.T, e era) {
		assert.Equal(t, []string{"calc_add", "notes_write"}, listedNames(t, k.client(e, "alice")))
		for _, gone := range []string{"notes.write", "keys_read", "keys.read"} {
			assertUnknown(t, k.call(e, "alice", gone, `{"a":1}`), gone)
		}
		o := sdktest.Outcome(t, k.call(e, "", "calc_add", `{"a":1}`))
		assert.Empty(t, o.UseName)
		assert.Equal(t, "notes_write", o.Deprecated.ReplacedBy)
		for _, old := range []string{"calc.plus", "calc_plus", "calc.add"} {
			assert.Equal(t, "calc_add", sdktest.Outcome(t, k.call(e, "", old, `{"a":1}`)).UseName, old)
		}
		sdktest.AssertRefused(t, k.call(e, "bob", "notes_write", `{"text":"x"}`), contract.CodePermissionDenied)
	})
	assert.NoError(t, mcpgo.Verify(k.server))
	assert.Equal(t, "notes.write", add.Document().Deprecated.ReplacedBy, "the contract is unchanged")
	listed := k.server.GetTool("calc_add").Tool
	assert.Equal(t, "calc.add", annotated(t, listed).Name)
	ours := 0
	for _, event := range k.events(audit.Terminal) {
		if event.Tool == "calc.add" && event.Code != codeUnknownTool {
			assert.Equal(t, add.Digest(), event.ContractDigest)
			ours++
		}
	}
	assert.NotZero(t, ours)
}

func TestWithNames_RefusesNamesThatCollide(t *testing.T) {
	t.Parallel()
	n := &tools{}
	both := mcpgo.WithTools(n.Add().MustBuild(), flat("calc_add"))
	_, err := mcpgo.NewServer("a", "1", nil, both, mcpgo.WithNames(contract.Underscore))
	mistakes := contract.DeclarationErrors(err)
	require.Len(t, mistakes, 1)
	assert.Equal(t, "serve.collision", mistakes[0].Rule)
	assert.Equal(t, "the names calc.add and calc_add are both listed as calc_add", mistakes[0].Message)
	_, err = mcpgo.NewServer("a", "1", nil, both, mcpgo.WithNames(contract.Dotted))
	assert.NoError(t, err, "with dots the names differ")
	_, err = mcpgo.NewServer("a", "1", nil, mcpgo.WithNames(2))
	assert.Equal(t, []string{"serve.names"}, sdktest.Rules(err))
}

// flat returns a tool with a flat name, which can equal a dotted name on the
// wire.
func flat(name string) *contract.Tool {
	return contract.New(name, func(context.Context, struct{}) (string, error) { return name, nil }).FlatName().
		Description("Does it.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).MustBuild()
}

func TestWithNames_RefusesACollisionWithAForbiddenName(t *testing.T) {
	t.Parallel()
	n := &tools{}
	for name, both := range map[string][]*contract.Tool{
		"the forbidden one first": {n.Key().MustBuild(), flat("keys_read")},
		"the forbidden one last":  {flat("keys_read"), n.Key().MustBuild()},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := mcpgo.NewServer("a", "1", anyGuard(t), mcpgo.WithTools(both...), mcpgo.WithNames(contract.Underscore))
			assert.Equal(t, []string{"serve.collision keys_read"}, sdktest.Rules(err))
			assert.Equal(t, []string{"serve.collision keys_read"}, sdktest.Rules(mcpgo.Register(existing(1), anyGuard(t),
				mcpgo.WithTools(both...), mcpgo.WithNames(contract.Underscore))))
			_, err = mcpgo.NewServer("a", "1", anyGuard(t), mcpgo.WithTools(both...), mcpgo.WithNames(contract.Dotted))
			assert.NoError(t, err, "with dots the names differ")
		})
	}
}

// anyGuard returns a guard with the principals of a kit.
func anyGuard(t *testing.T) *guard.Guard {
	t.Helper()
	g, err := guard.New(guard.WithPrincipal(mcpgo.Bearer(sdktest.Verify)))
	require.NoError(t, err)
	t.Cleanup(func() { _ = g.Close(context.WithoutCancel(t.Context())) })
	return g
}

// The most used hosts refuse dots, and pay for every byte of a list.
func TestNewServer_ListsUnderscoresAndSummariesByDefault(t *testing.T) {
	t.Parallel()
	n := &tools{}
	g := anyGuard(t)
	for name, serve := range map[string]func(opts ...mcpgo.Option) *server.MCPServer{
		"NewServer": func(opts ...mcpgo.Option) *server.MCPServer {
			s, err := mcpgo.NewServer("s", "1.0.0", g, opts...)
			require.NoError(t, err)
			return s
		},
		"Register": func(opts ...mcpgo.Option) *server.MCPServer {
			s := existing(0)
			require.NoError(t, mcpgo.Register(s, g, opts...))
			return s
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			add, open := n.Add().MustBuild(), flat("ping")
			s := serve(mcpgo.WithTools(add, open))
			listed := listedRaw(t, s)
			assert.Contains(t, listed, "calc_add")
			assert.NotContains(t, listed, "calc.add")
			published := publishedOf(t, listed["calc_add"])
			assert.Equal(t, "calc.add", published["name"], "the contract keeps its name")
			assert.Equal(t, []string{
				"auditEvent", "autonomous", "confirmation", "contentTrust", "effect", "failureCodes", "format", "name", "reversibility",
				"risk", "version",
			}, slices.Sorted(maps.Keys(published)))
			assert.NotContains(t, publishedOf(t, listed["ping"]), "name", "the tool beside it has it")
			assert.NoError(t, mcpgo.Verify(s))
		})
	}
}

// publishedOf returns the contract in the _meta of a listed tool.
func publishedOf(t *testing.T, listed map[string]json.RawMessage) map[string]any {
	t.Helper()
	var meta map[string]map[string]any
	require.NoError(t, json.Unmarshal(listed["_meta"], &meta))
	return meta[contract.MetaKeyContract]
}

// An old name works in the form in which a server listed it.
func TestAliases_CanBeCalledUnderEveryNaming(t *testing.T) {
	t.Parallel()
	n := &tools{}
	for _, naming := range []contract.Naming{contract.Underscore, contract.Dotted} {
		k := newKit(t, []*contract.Tool{n.Add().Aliases("maths.add", "old_add").MustBuild()}, mcpgo.WithNames(naming))
		sdktest.EachEra(t, func(t *testing.T, e era) {
			for _, old := range []string{"maths.add", "maths_add", "old_add", "calc.plus", "calc_plus"} {
				assert.Equal(t, naming.Listed("calc.add"), sdktest.Outcome(t, k.call(e, "", old, `{"a":1}`)).UseName, "%s: %s", naming, old)
			}
			assertUnknown(t, k.call(e, "", "old.add", `{"a":1}`), "old.add")
			assert.Equal(t, []string{naming.Listed("calc.add")}, listedNames(t, k.client(e, "")), "aliases are not listed")
		})
	}
	_, err := mcpgo.NewServer("a", "1", nil, asWritten(mcpgo.WithTools(n.Add().MustBuild(), flat("calc_plus")))...)
	assert.Equal(t, []string{"serve.collision calc_plus"}, sdktest.Rules(err),
		"an alias cannot have the name of another tool in any form")
}

// answerText returns the text of a tool's result on the wire.
func answerText(t *testing.T, raw string) string {
	t.Helper()
	var a struct {
		Result struct{ Content []struct{ Text string } }
	}
	sdktest.Unmarshal(t, raw, &a)
	require.Len(t, a.Result.Content, 1)
	return a.Result.Content[0].Text
}

// A question is the same on every page and in every client. Above all, its
// arguments are those that were sent.
func TestWithNames_QuestionHasTheContractsOwnNames(t *testing.T) {
	t.Parallel()
	n := &tools{}
	k := newKit(t, []*contract.Tool{n.Send(), n.Add().MustBuild()}, mcpgo.WithNames(contract.Underscore))
	k.serveSessions()
	sdktest.EachEra(t, func(t *testing.T, e era) {
		p := &person{answer: declines}
		r, err := callTool(t.Context(), k.clientOf(e, "alice", p), "notes_send", map[string]any{"text": "calc.add and notes.send, " +
			string(e)})
		require.NoError(t, err)
		assert.Equal(t, contract.CodeConfirmationDeclined, outcomeOf(t, r).Code)
		message := p.last.Load().Message
		assert.Contains(t, message, `"calc.add and notes.send, `)
		assert.Contains(t, message, "notes.send")
		assert.NotContains(t, message, "notes_send")
	})
}

func TestWithNames_TextsNameToolsAsTheyAreListed(t *testing.T) {
	t.Parallel()
	n := &tools{}
	full := contract.Retryable("full", "The store is full.")
	write := contract.New("notes.store", func(context.Context, empty) (string, error) {
		return "", full.Errorf("calc.add, mail@calc.add, ./calc.add and notes.store.").Hint(
			"Call calc.add, not notes.store or keys.read.")
	}).Description("Stores what calc.add returned; see calc.added and https://calc.add/.").Version("1.0.0").
		Effect(risk.LowRiskWrite).Trust(trust.Trusted).Permissions("notes:write").Failures(full).
		Deprecated(contract.Deprecation{Since: "1.0.0", ReplacedBy: "notes.write", Note: "Use notes.write."}).MustBuild()
	served := []*contract.Tool{write, n.Add().MustBuild(), n.Key().MustBuild(), n.Note(nil).MustBuild()}
	k := newKit(t, served, mcpgo.WithNames(contract.Underscore))
	sdktest.EachEra(t, func(t *testing.T, e era) {
		result := k.call(e, "alice", "notes_store", `{}`)
		o := sdktest.Outcome(t, result)
		assert.Equal(t, "Call calc_add, not notes_store or keys.read.", o.Hint, "a forbidden tool has no listed name")
		assert.Equal(t, &contract.Deprecation{Since: "1.0.0", ReplacedBy: "notes_write", Note: "Use notes_write."}, o.Deprecated)
		assert.Equal(t, "full: calc_add, mail@calc.add, ./calc.add and notes_store.\n"+o.Hint, answerText(t, result))
	})
	assert.Equal(t, "Stores what calc_add returned; see calc.added and https://calc.add/.",
		k.server.GetTool("notes_store").Tool.Description)
	assert.NoError(t, mcpgo.Verify(k.server))

	k = newKit(t, served, mcpgo.WithNames(contract.Dotted))
	assert.Equal(t, "Call calc.add, not notes.store or keys.read.", sdktest.Outcome(t, k.call(modern, "alice", "notes.store",
		`{}`)).Hint)
}
