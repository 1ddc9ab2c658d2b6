package mcpgo_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/audit"
	"github.com/toolcontract/toolcontract/contract/guard"
	"github.com/toolcontract/toolcontract/contract/mcpgo"
	"github.com/toolcontract/toolcontract/internal/enum/enumtest"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

func TestWithNames_UnderscoreNamesReplaceTheDottedOnes(t *testing.T) {
	t.Parallel()
	n := &tools{}
	add := n.add().Aliases("calc.add").Deprecated(contract.Deprecation{Since: "1.2.0", ReplacedBy: "notes.write"}).MustBuild()
	k := newKit(t, []*contract.Tool{add, n.note(nil).MustBuild(), n.key().MustBuild()}, mcpgo.WithNames(mcpgo.Underscore))
	eachEra(t, func(t *testing.T, e era) {
		assert.Equal(t, []string{"calc_add", "notes_write"}, listedNames(t, k.client(e, "alice")))
		for _, gone := range []string{"calc_plus", "notes.write", "keys_read", "keys.read"} {
			assertUnknown(t, k.call(e, "alice", gone, `{"a":1}`), gone)
		}
		o := outcome(t, k.call(e, "", "calc_add", `{"a":1}`))
		assert.Empty(t, o.UseName)
		assert.Equal(t, "notes_write", o.Deprecated.ReplacedBy)
		for _, old := range []string{"calc.plus", "calc.add"} { // aliases are not renamed
			assert.Equal(t, "calc_add", outcome(t, k.call(e, "", old, `{"a":1}`)).UseName, old)
		}
		assertRefused(t, k.call(e, "bob", "notes_write", `{"text":"x"}`), contract.CodePermissionDenied)
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
	both := mcpgo.WithTools(n.add().MustBuild(), flat("calc_add"))
	_, err := mcpgo.NewServer("a", "1", nil, both, mcpgo.WithNames(mcpgo.Underscore))
	mistakes := contract.DeclarationErrors(err)
	require.Len(t, mistakes, 1)
	assert.Equal(t, "serve.collision", mistakes[0].Rule)
	assert.Equal(t, "the names calc.add and calc_add are both listed as calc_add", mistakes[0].Message)
	_, err = mcpgo.NewServer("a", "1", nil, both)
	assert.NoError(t, err, "with dots the names differ")
	_, err = mcpgo.NewServer("a", "1", nil, mcpgo.WithNames(2))
	assert.Equal(t, []string{"serve.names"}, rules(err))
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
		"the forbidden one first": {n.key().MustBuild(), flat("keys_read")},
		"the forbidden one last":  {flat("keys_read"), n.key().MustBuild()},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := mcpgo.NewServer("a", "1", anyGuard(t), mcpgo.WithTools(both...), mcpgo.WithNames(mcpgo.Underscore))
			assert.Equal(t, []string{"serve.collision keys_read"}, rules(err))
			assert.Equal(t, []string{"serve.collision keys_read"}, rules(mcpgo.Register(existing(1), anyGuard(t), mcpgo.WithTools(both...), mcpgo.WithNames(mcpgo.Underscore))))
			_, err = mcpgo.NewServer("a", "1", anyGuard(t), mcpgo.WithTools(both...))
			assert.NoError(t, err, "with dots the names differ")
		})
	}
}

// anyGuard returns a guard with the principals of a kit.
func anyGuard(t *testing.T) *guard.Guard {
	t.Helper()
	g, err := guard.New(guard.WithPrincipal(mcpgo.Bearer(verify)))
	require.NoError(t, err)
	t.Cleanup(func() { _ = g.Close(context.WithoutCancel(t.Context())) })
	return g
}

func TestNaming_TextForm(t *testing.T) {
	t.Parallel()
	enumtest.CheckTexts[mcpgo.Naming](t, "naming", "dotted", "underscore")
}
