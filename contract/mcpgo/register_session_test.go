package mcpgo_test

import (
	"context"
	"testing"

	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/audit"
	"github.com/toolcontract/toolcontract/contract/mcpgo"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// scoped is a tool for one session.
func scoped(name string, runs *int) *contract.Tool {
	return contract.New(name, func(context.Context, empty) (string, error) {
		*runs++
		return name, nil
	}).Description("Does it.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).Permissions("notes:write").Aliases(name + "_old").MustBuild()
}

func TestRegisterSessionServesOneSession(t *testing.T) {
	t.Parallel()
	for name, serve := range map[string]func(*testing.T, *tools) *kit{
		"a server of NewServer's": func(t *testing.T, n *tools) *kit { return newKit(t, n.all()) },
		"a server that existed":   func(t *testing.T, n *tools) *kit { return adopt(t, existing(1), n.all()) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k, runs := serve(t, &tools{}), 0
			mine, other := &session{id: "mine"}, &session{id: "other"}
			require.NoError(t, k.server.RegisterSession(t.Context(), mine))
			require.NoError(t, k.server.RegisterSession(t.Context(), other))
			require.NoError(t, mcpgo.RegisterSession(k.server, "mine", mcpgo.Tools(scoped("room.read", &runs))))
			assert.NoError(t, mcpgo.Verify(k.server))

			inMine, inOther := k.server.WithContext(t.Context(), mine), k.server.WithContext(t.Context(), other)
			assert.NotContains(t, listedBy(t, inMine, k.server), "room.read", "an anonymous caller has no permission")
			for _, called := range []string{"room.read", "room.read_old"} {
				assertRefused(t, handleAs(t, inMine, k.server, callOf(called, `{}`)), contract.CodeUnauthenticated)
				assertUnknown(t, handleAs(t, inOther, k.server, callOf(called, `{}`)), called)
				assertUnknown(t, handle(t, k.server, callOf(called, `{}`)), called)
			}
			assert.NotContains(t, listedBy(t, inOther, k.server), "room.read")
			assert.Zero(t, runs)

			stolen := mine.GetSessionTools()["room.read"]
			other.SetSessionTools(map[string]server.ServerTool{"room.read": stolen})
			assertUnknown(t, handleAs(t, inOther, k.server, callOf("room.read", `{}`)), "room.read")
			assert.NotEmpty(t, rules(mcpgo.Verify(k.server)))
			other.SetSessionTools(nil)

			x, intruded := intruder("room.read")
			require.NoError(t, k.server.AddSessionTools("mine", x))
			assertUnknown(t, handleAs(t, inMine, k.server, callOf("room.read", `{}`)), "room.read")
			assert.Zero(t, intruded.Load())
			assert.Equal(t, []string{"verify.shadowed room.read"}, rules(mcpgo.Verify(k.server)))
		})
	}
}

func TestRegisterSessionShowsAndRuns(t *testing.T) {
	t.Parallel()
	k := newKit(t, (&tools{}).all(), mcpgo.Names(mcpgo.Underscore))
	mine := &session{id: "mine"}
	require.NoError(t, k.server.RegisterSession(t.Context(), mine))
	shout := shower(contract.Reply[string]{Out: "art"})
	require.NoError(t, mcpgo.RegisterSession(k.server, "mine", mcpgo.Tools(shout)))
	ctx := k.server.WithContext(t.Context(), mine)
	assert.Equal(t, []string{"art_show", "calc_add"}, listedBy(t, ctx, k.server))
	assert.Equal(t, "art", parse(t, handleAs(t, ctx, k.server, callOf("art_show", `{}`))).Result.Content[0].Text)
	require.NoError(t, k.server.DeleteSessionTools("mine", "art_show"))
	assert.Equal(t, []string{"calc_add"}, listedBy(t, ctx, k.server))
	events := k.events(audit.Terminal)
	require.Len(t, events, 1)
	assert.Equal(t, "art.show", events[0].Tool)
}

func TestRegisterSessionRefuses(t *testing.T) {
	t.Parallel()
	runs := 0
	n := &tools{}
	k := newKit(t, n.all())
	x, _ := intruder("room.taken")
	mine := &session{id: "mine", tools: map[string]server.ServerTool{"room.taken": x}}
	require.NoError(t, k.server.RegisterSession(t.Context(), mine))
	for name, test := range map[string]struct {
		server  *server.MCPServer
		session string
		opts    []mcpgo.Option
		want    []string
		is      error
	}{
		"a server without contracts": {existing(1), "mine", nil, []string{"serve.server"}, nil},
		"no server":                  {nil, "mine", nil, []string{"serve.server"}, nil},
		"an unknown session":         {k.server, "nobody", []mcpgo.Option{mcpgo.Tools(scoped("room.read", &runs))}, nil, server.ErrSessionNotFound},
		"a contract of the server's": {k.server, "mine", []mcpgo.Option{mcpgo.Tools(n.add().MustBuild())}, []string{"serve.taken calc.add", "serve.taken calc.add"}, nil},
		"a tool of the session's":    {k.server, "mine", []mcpgo.Option{mcpgo.Tools(scoped("room.taken", &runs))}, []string{"serve.taken room.taken"}, nil},
		"a tier":                     {k.server, "mine", []mcpgo.Option{mcpgo.Tier(mcpgo.Hints)}, []string{"serve.option"}, nil},
		"a naming":                   {k.server, "mine", []mcpgo.Option{mcpgo.Names(mcpgo.Underscore)}, []string{"serve.option"}, nil},
		"a closed world":             {k.server, "mine", []mcpgo.Option{mcpgo.ClosedWorld()}, []string{"serve.option"}, nil},
		"options of mcp-go's":        {k.server, "mine", []mcpgo.Option{mcpgo.ServerOptions(server.WithRecovery())}, []string{"serve.option"}, nil},
		"a nil tool":                 {k.server, "mine", []mcpgo.Option{mcpgo.Tools(nil)}, []string{"protect.nil"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			err := mcpgo.RegisterSession(test.server, test.session, test.opts...)
			require.Error(t, err)
			assert.Equal(t, test.want, rules(err))
			if test.is != nil {
				assert.ErrorIs(t, err, test.is)
			}
			assert.Len(t, mine.GetSessionTools(), 1)
		})
	}
}
