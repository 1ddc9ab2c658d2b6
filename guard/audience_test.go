package guard_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/risk"
)

// Each tool but the last is seen by other principals than the rest, because of
// one clause.
func TestAudience_IsSharedOnlyByToolsThatTheSamePrincipalsSee(t *testing.T) {
	t.Parallel()
	read := func(name string, permissions ...string) *contract.Builder[empty, string] {
		b := reader(name, func(context.Context) (string, error) { return "", nil })
		if len(permissions) > 0 {
			b = b.Permissions(permissions...)
		}
		return b
	}
	n := &counter{}
	k := newKit(t, []*contract.Tool{
		read("t.open").MustBuild(),
		read("t.known").Risk(risk.High).NoPermissions("its rows are checked by the database").MustBuild(),
		read("t.send", "mail:send").MustBuild(),
		read("t.read", "mail:read").MustBuild(),
		read("t.both", "mail:send", "mail:read").MustBuild(),
		read("t.audited", "mail:send").MustBuild(),
		read("t.person", "mail:send").Risk(risk.Forbidden).MustBuild(),
		n.grave("t.discovered").MustBuild(), // needs mail:send, and is discovered with mail:read
	}, guard.WithAuditOnly("t.audited", "permissions"))
	sees := map[string][]string{
		"nobody": {"t.open"},
		"bob":    {"t.open", "t.known", "t.read", "t.audited", "t.discovered"},
		"alice":  {"t.open", "t.known", "t.send", "t.read", "t.both", "t.audited", "t.discovered"},
		"carol":  {"t.open", "t.known", "t.send", "t.audited", "t.person"},
	}
	people := map[string]guard.Principal{"nobody": {}, "bob": bob, "alice": alice, "carol": carol}

	later, err := k.set.With(read("t.late", "mail:read").MustBuild())
	require.NoError(t, err)
	for name, want := range sees {
		ctx := as(t.Context(), people[name])
		expected := map[string]bool{}
		for _, tool := range want {
			expected[tool] = true
		}
		assert.Equal(t, expected, k.set.Visible(ctx), name)
		expected["t.late"] = expected["t.read"]
		isSeen := later.Adapter().Sees(ctx)
		for _, tool := range later.Tools() {
			assert.Equal(t, expected[tool.Name()], isSeen(later.Adapter().Audience(tool.Name())), "%s and %s", name, tool.Name())
		}
		assert.False(t, isSeen(later.Adapter().Audience("t.unknown")), "a tool that does not exist")
	}
	assert.Same(t, k.set.Adapter().Audience("t.read"), later.Adapter().Audience("t.late"))
	assert.Same(t, k.set.Adapter().Audience("t.read"), later.Adapter().Audience("t.discovered"))
}

// An adapter that loses an audience must not show its tool to everyone.
func TestAdapterSees_NoAudienceIncludesNoAgentAndNoAnonymousCaller(t *testing.T) {
	t.Parallel()
	for name, opts := range map[string][]guard.Option{
		"anonymous": nil,
		"an agent": {guard.WithPrincipal(guard.PrincipalFunc(func(context.Context) (guard.Principal, error) {
			return guard.Principal{Issuer: "i", Subject: "s"}, nil
		}))},
	} {
		g, err := guard.New(opts...)
		require.NoError(t, err)
		set, err := g.Protect()
		require.NoError(t, err)
		assert.False(t, set.Adapter().Sees(t.Context())(nil), name)
		require.NoError(t, g.Close(t.Context()))
	}
}
