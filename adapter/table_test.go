package adapter_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

func TestTable_HasEveryNameThatCanBeCalled(t *testing.T) {
	t.Parallel()
	table, _ := newTable(t, adapter.Config{Tools: all()})
	assert.Equal(t, []string{"notes.add", "notes_add", "notes_find", "notes_write"}, names(table.Entries()))
	for _, e := range table.Entries() {
		assert.Same(t, e, table.Entry(e.Name()))
		assert.Equal(t, e.Name() == "notes.add" || e.Name() == "notes_add", e.IsAlias(), e.Name())
	}
	assert.Equal(t, "notes_write", table.Entry("notes.add").Definition().Name, "an alias has the definition of its tool")
	assert.Same(t, table.Entry("notes_write"), table.EntryOf("notes.write"))
	assert.Nil(t, table.EntryOf("notes.add"), "an alias is not the name of a contract")
	for _, name := range []string{"notes.write", "keys.read", "keys_read"} {
		assert.Nil(t, table.Entry(name), name)
		assert.True(t, table.Claims(name), name)
	}
	assert.False(t, table.Claims("other"))
	assert.Equal(t, map[string]string{
		"notes_write": "notes.write", "notes.write": "notes.write", "notes_add": "notes.write", "notes.add": "notes.write",
		"notes_find": "notes.find", "notes.find": "notes.find", "keys_read": "keys.read", "keys.read": "keys.read",
	}, table.Claimed())

	dotted, _ := newTable(t, adapter.Config{Tools: all(), Naming: contract.Dotted})
	assert.Equal(t, []string{"notes.add", "notes.find", "notes.write", "notes_add"}, names(dotted.Entries()))
}

func TestTable_ListsTheTierAndTheNamesOfItsConfig(t *testing.T) {
	t.Parallel()
	for tier, has := range map[contract.Tier]bool{contract.TierSummary: true, contract.TierFull: true, contract.TierHints: false} {
		table, _ := newTable(t, adapter.Config{Tools: all(), Tier: tier})
		d := table.Entry("notes_write").Definition()
		_, ok := d.Meta[contract.MetaKeyContract]
		assert.Equal(t, has, ok, tier)
		assert.Equal(t, "Writes a note. Search with notes_find first.", d.Description)
		require.NotNil(t, d.Annotations.ReadOnlyHint)
		assert.False(t, *d.Annotations.ReadOnlyHint)
	}
}

// An adapter may change its copy, and others rest on the same entry.
func TestEntry_IsNotChangedThroughItsDefinition(t *testing.T) {
	t.Parallel()
	table, _ := newTable(t, adapter.Config{Tools: all()})
	e := table.Entry("notes_write")
	e.Definition().Meta[contract.MetaKeyContract] = "changed"
	assert.NotEqual(t, "changed", e.Definition().Meta[contract.MetaKeyContract])

	replaced := map[string]any{"example.com/icon": "x", contract.MetaKeyContract: "forged"}
	meta := e.MetaOver(replaced)
	assert.Equal(t, "x", meta["example.com/icon"])
	assert.Equal(t, e.Definition().Meta[contract.MetaKeyContract], meta[contract.MetaKeyContract])
	assert.Equal(t, "forged", replaced[contract.MetaKeyContract], "the other tool stays as it is")
	hidden, _ := newTable(t, adapter.Config{Tools: all(), Tier: contract.TierHints})
	assert.Equal(t, map[string]any{"example.com/icon": "x"}, hidden.Entry("notes_write").MetaOver(replaced), "a contract of others")
}

func TestNewTable_ReportsEveryMistake(t *testing.T) {
	t.Parallel()
	relative := "/metadata"
	assert.Equal(t, []string{"serve.tier ", "serve.names ", "serve.resourceMetadata "},
		rules(adapter.Config{Tier: 9, Naming: 9, ResourceMetadata: &relative}.Check()))
	_, err := adapter.NewTable(nil, adapter.Config{Tier: 9})
	assert.Equal(t, []string{"serve.tier "}, rules(err))

	_, err = adapter.NewTable(nil, adapter.Config{Tools: []*contract.Tool{nil}})
	assert.Equal(t, []string{"protect.nil "}, rules(err))

	other := contract.New("notes.find_x", func(context.Context, empty) (string, error) { return "", nil }).
		Description("Has the listed name of an alias.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted)
	_, err = adapter.NewTable(nil, adapter.Config{Tools: []*contract.Tool{find().Aliases("notes.find.x").MustBuild(),
		other.MustBuild()}})
	assert.Equal(t, []string{"serve.collision notes.find_x"}, rules(err))

	g, err := guard.New(guard.WithSealingKeys(bytes.Repeat([]byte{1}, 32)))
	require.NoError(t, err)
	t.Cleanup(func() { _ = g.Close(context.WithoutCancel(t.Context())) })
	_, err = adapter.NewTable(g, adapter.Config{Tools: []*contract.Tool{find().MustBuild()}})
	assert.Equal(t, []string{"serve.name "}, rules(err), "an answer for another server would count")
	_, err = adapter.NewTable(g, adapter.Config{Tools: []*contract.Tool{find().MustBuild()}, Server: "notes"})
	assert.NoError(t, err)
}

func TestTableWith_KeepsTheEntriesOfEqualContracts(t *testing.T) {
	t.Parallel()
	old, _ := newTable(t, adapter.Config{Tools: []*contract.Tool{note().MustBuild()}})
	next, err := old.With(note().MustBuild(), find().MustBuild())
	require.NoError(t, err)
	assert.Equal(t, []string{"notes_find"}, names(next.Since(old)))
	assert.Same(t, old.Entry("notes_write"), next.Entry("notes_write"))
	assert.Nil(t, old.Entry("notes_find"), "the old table does not change")

	changed, err := next.With(note().Version("2.0.0").MustBuild())
	require.NoError(t, err)
	assert.Equal(t, []string{"notes.add", "notes_add", "notes_write"}, names(changed.Since(next)))
	assert.Equal(t, "2.0.0", call(as(t, "alice"), t, changed, "notes_write", `{"text":"a"}`).Outcome.ContractVersion)
	answer, err := changed.Call(as(t, "alice"), old.Entry("notes_write"), adapter.Request{Arguments: []byte(`{"text":"a"}`)})
	require.NoError(t, err)
	assert.Equal(t, "2.0.0", answer.Outcome.ContractVersion, "an entry of an earlier table calls the contract of today")

	_, err = next.With(find().Aliases("notes.write").MustBuild())
	assert.Equal(t, []string{"protect.duplicate notes.find"}, rules(err))
}

func TestTableWithout_FreesTheNamesOfContracts(t *testing.T) {
	t.Parallel()
	old, _ := newTable(t, adapter.Config{Tools: []*contract.Tool{note().MustBuild(), find().MustBuild()}})
	next := old.Without("notes.write", "notes.unknown")
	assert.Equal(t, []string{"notes_find"}, names(next.Entries()))
	for _, name := range []string{"notes_write", "notes.write", "notes_add"} {
		assert.True(t, old.Claims(name), name)
		assert.False(t, next.Claims(name), name)
	}
	assert.Same(t, old.Entry("notes_find"), next.Entry("notes_find"))
	assert.Equal(t, []string{"notes_find"}, listed(as(t, "alice"), next))
	_, err := next.Call(as(t, "alice"), old.Entry("notes_write"), adapter.Request{Arguments: []byte(`{"text":"a"}`)})
	require.ErrorIs(t, err, guard.ErrUnknownTool)
	_, err = next.With(find().Aliases("notes.write").MustBuild())
	assert.NoError(t, err)
}

func TestTableForSession_WritesTheNamesOfItsServer(t *testing.T) {
	t.Parallel()
	server, _ := newTable(t, adapter.Config{Tools: all(), Tier: contract.TierHints})
	own := contract.New("session.help", func(context.Context, empty) (string, error) { return "", nil }).
		Description("Explains notes.find.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).MustBuild()
	session, err := server.ForSession(own)
	require.NoError(t, err)
	assert.Equal(t, []string{"session_help"}, names(session.Entries()))
	d := session.Entry("session_help").Definition()
	assert.Equal(t, "Explains notes_find.", d.Description)
	assert.Nil(t, d.Meta, "the tier is that of the server")
	assert.Same(t, server.Guard(), session.Guard())
}

func TestTable_ShowsEachCallerItsTools(t *testing.T) {
	t.Parallel()
	table, _ := newTable(t, adapter.Config{Tools: all()})
	assert.Equal(t, []string{"notes_find", "notes_write"}, listed(as(t, "alice"), table))
	for name, ctx := range map[string]context.Context{
		"a caller without the permission": as(t, "bob"), "an unknown caller": as(t, "mallory"), "nobody": t.Context(),
	} {
		assert.Equal(t, []string{"notes_find"}, listed(ctx, table), name)
	}
	assert.True(t, table.Varies())
	open, _ := newTable(t, adapter.Config{Tools: []*contract.Tool{find().MustBuild(), key().MustBuild()}})
	assert.False(t, open.Varies(), "a forbidden tool is in no list")
}

// The function of one table decides about the entries of another.
func TestTable_ListsByTheContractOfTheEntry(t *testing.T) {
	t.Parallel()
	table, _ := newTable(t, adapter.Config{Tools: all()})
	next, err := table.With(note().Permissions("notes:own").Version("2.0.0").MustBuild())
	require.NoError(t, err)
	assert.True(t, table.Lists(as(t, "alice"))(table.Entry("notes_write")))
	assert.False(t, next.Lists(as(t, "alice"))(next.Entry("notes_write")), "the new contract needs another permission")
}

func TestTable_SealsCursors(t *testing.T) {
	t.Parallel()
	table, _ := newTable(t, adapter.Config{Tools: all()})
	sealed := table.SealCursor("notes_write")
	assert.NotContains(t, sealed, "notes")
	assert.Len(t, table.SealCursor("a"), len(sealed), "the length would reveal the name")
	next, err := table.With(find().Version("2.0.0").MustBuild())
	require.NoError(t, err)
	cursor, ok := next.OpenCursor(sealed)
	assert.True(t, ok)
	assert.Equal(t, "notes_write", cursor)
	other, _ := newTable(t, adapter.Config{Tools: all()})
	for _, sent := range []string{sealed, "notes_write", ""} {
		cursor, ok := other.OpenCursor(sent)
		assert.False(t, ok, sent)
		assert.Empty(t, cursor)
	}
}

func TestTable_AuditsCallsThatTheSDKRefuses(t *testing.T) {
	t.Parallel()
	table, log := newTable(t, adapter.Config{Tools: all()})
	table.Unknown(as(t, "alice"), "notes_delete")
	table.Unparsable(t.Context())
	require.NoError(t, table.Guard().Close(t.Context()))
	events := log.Events(audit.Terminal)
	require.Len(t, events, 2)
	assert.Equal(t, []string{"notes_delete", "unknown_tool", "alice"}, []string{events[0].Tool, events[0].Code, events[0].Principal})
	assert.Equal(t, []string{"", "unparsable", ""}, []string{events[1].Tool, events[1].Code, events[1].Principal})
}

func TestTable_BoundsMessagesByTheLargestArguments(t *testing.T) {
	t.Parallel()
	table, _ := newTable(t, adapter.Config{Tools: all()})
	assert.Equal(t, 4<<20+64<<10, table.MaxMessageBytes())
	larger, err := table.With(find().MaxArgumentBytes(4<<20 + 7).MustBuild())
	require.NoError(t, err)
	assert.Equal(t, table.MaxMessageBytes()+7, larger.MaxMessageBytes())
}
