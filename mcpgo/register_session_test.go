package mcpgo_test

import (
	"context"
	"slices"
	"testing"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/mcpgo"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// scoped returns a tool for one session.
func scoped(name string, runs *int) *contract.Tool {
	return contract.New(name, func(context.Context, empty) (string, error) {
		*runs++
		return name, nil
	}).Description("Does it.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).Permissions("notes:write").Aliases(name +
		"_old").MustBuild()
}

func TestRegisterSession_ServesOneSession(t *testing.T) {
	t.Parallel()
	for name, serve := range map[string]func(*testing.T, *tools) *kit{
		"a server made by NewServer": func(t *testing.T, n *tools) *kit { return newKit(t, n.All()) },
		"an existing server":         func(t *testing.T, n *tools) *kit { return adopt(t, existing(1), n.All()) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k, runs := serve(t, &tools{}), 0
			mine, other := &session{id: "mine"}, &session{id: "other"}
			require.NoError(t, k.server.RegisterSession(t.Context(), mine))
			require.NoError(t, k.server.RegisterSession(t.Context(), other))
			require.NoError(t, mcpgo.RegisterSession(k.server, "mine", mcpgo.WithTools(scoped("room.read", &runs))))
			assert.NoError(t, mcpgo.Verify(k.server))

			inMine, inOther := k.server.WithContext(t.Context(), mine), k.server.WithContext(t.Context(), other)
			assert.NotContains(t, listedBy(t, inMine, k.server), "room.read", "an anonymous caller has no permission")
			for _, called := range []string{"room.read", "room.read_old"} {
				sdktest.AssertRefused(t, handleAs(t, inMine, k.server, callOf(called, `{}`)), contract.CodeUnauthenticated)
				assertUnknown(t, handleAs(t, inOther, k.server, callOf(called, `{}`)), called)
				assertUnknown(t, handle(t, k.server, callOf(called, `{}`)), called)
			}
			assert.NotContains(t, listedBy(t, inOther, k.server), "room.read")
			assert.Zero(t, runs)

			stolen := mine.GetSessionTools()["room.read"]
			other.SetSessionTools(map[string]server.ServerTool{"room.read": stolen})
			assertUnknown(t, handleAs(t, inOther, k.server, callOf("room.read", `{}`)), "room.read")
			assert.NotEmpty(t, sdktest.Rules(mcpgo.Verify(k.server)))
			other.SetSessionTools(nil)

			abroad, sameID := newKit(t, (&tools{}).All()), &session{id: "mine"}
			require.NoError(t, abroad.server.RegisterSession(t.Context(), sameID))
			sameID.SetSessionTools(map[string]server.ServerTool{"room.read": stolen})
			assertUnknown(t, handleAs(t, abroad.server.WithContext(t.Context(), sameID), abroad.server, callOf("room.read", `{}`)),
				"room.read")

			x, intruded := intruder("room.read")
			require.NoError(t, k.server.AddSessionTools("mine", x))
			assertUnknown(t, handleAs(t, inMine, k.server, callOf("room.read", `{}`)), "room.read")
			assert.Zero(t, intruded.Load())
			assert.Equal(t, []string{"verify.shadowed room.read"}, sdktest.Rules(mcpgo.Verify(k.server)))
		})
	}
}

func TestRegisterSession_ListsAndRunsItsTools(t *testing.T) {
	t.Parallel()
	k := newKit(t, (&tools{}).All(), mcpgo.WithNames(contract.Underscore))
	mine := &session{id: "mine"}
	require.NoError(t, k.server.RegisterSession(t.Context(), mine))
	shout := shower(contract.Reply[string]{Out: "art"})
	require.NoError(t, mcpgo.RegisterSession(k.server, "mine", mcpgo.WithTools(shout)))
	ctx := k.server.WithContext(t.Context(), mine)
	assert.Equal(t, []string{"art_show", "calc_add"}, listedBy(t, ctx, k.server))
	assert.Equal(t, "art", sdktest.Parse(t, handleAs(t, ctx, k.server, callOf("art_show", `{}`))).Result.Content[0].Text)
	require.NoError(t, k.server.DeleteSessionTools("mine", "art_show"))
	assert.Equal(t, []string{"calc_add"}, listedBy(t, ctx, k.server))
	events := k.events(audit.Terminal)
	require.Len(t, events, 1)
	assert.Equal(t, "art.show", events[0].Tool)
}

// A filter of the server author can remember the tools of a session. They are
// not listed again when the session no longer has them, nor in a later session
// of the same id.
func TestRegisterSession_DoesNotListWhatAFilterRemembers(t *testing.T) {
	t.Parallel()
	var remembered []mcp.Tool
	filter := server.WithToolFilter(func(_ context.Context, found []mcp.Tool) []mcp.Tool {
		if remembered == nil {
			remembered = slices.Clone(found)
		}
		return remembered
	})
	k := newKit(t, (&tools{}).All(), mcpgo.WithServerOptions(filter))
	open := func() context.Context {
		mine := &session{id: "mine"}
		require.NoError(t, k.server.RegisterSession(t.Context(), mine))
		return k.server.WithContext(t.Context(), mine)
	}
	mine := open()
	require.NoError(t, mcpgo.RegisterSession(k.server, "mine", mcpgo.WithTools(shower(contract.Reply[string]{Out: "art"}))))
	require.Equal(t, []string{"art.show", "calc.add"}, listedBy(t, mine, k.server))

	x, intruded := intruder("art.show")
	require.NoError(t, k.server.AddSessionTools("mine", x))
	assert.Equal(t, []string{"calc.add"}, listedBy(t, mine, k.server))
	assertUnknown(t, handleAs(t, mine, k.server, callOf("art.show", `{}`)), "art.show")
	assert.Zero(t, intruded.Load())

	require.NoError(t, k.server.DeleteSessionTools("mine", "art.show"))
	assert.Equal(t, []string{"calc.add"}, listedBy(t, mine, k.server))

	k.server.UnregisterSession(t.Context(), "mine")
	assert.Equal(t, []string{"calc.add"}, listedBy(t, open(), k.server))
}

func TestRegisterSession_ReservesItsNames(t *testing.T) {
	t.Parallel()
	s := existing(1)
	x, runs := intruder("keys.read")
	s.AddTools(x)
	k := adopt(t, s, []*contract.Tool{(&tools{}).Add().MustBuild()}, mcpgo.WithNames(contract.Underscore))
	mine := &session{id: "mine"}
	require.NoError(t, s.RegisterSession(t.Context(), mine))
	counted := 0
	require.NoError(t, mcpgo.RegisterSession(s, "mine", mcpgo.WithTools((&tools{}).Key().MustBuild(), scoped("room.read",
		&counted))))
	ctx := s.WithContext(t.Context(), mine)
	assert.Equal(t, []string{"calc_add", "old_00"}, listedBy(t, ctx, s))
	assertUnknown(t, handleAs(t, ctx, s, callOf("keys.read", `{}`)), "keys.read")
	assert.Equal(t, []string{"calc_add", "keys.read", "old_00"}, listedBy(t, t.Context(), s), "other sessions keep their tools")
	y, intruded := intruder("room.read")
	z, _ := intruder("keys_read")
	require.NoError(t, s.AddSessionTools("mine", y, z))
	for _, name := range []string{"room.read", "keys_read"} {
		assertUnknown(t, handleAs(t, ctx, s, callOf(name, `{}`)), name)
	}
	assert.Equal(t, []string{"verify.shadowed keys_read", "verify.shadowed room.read"}, sdktest.Rules(mcpgo.Verify(k.server)))

	require.NoError(t, s.DeleteSessionTools("mine", "room_read", "room.read"))
	assertUnknown(t, handleAs(t, ctx, s, callOf("room.read_old", `{}`)), "room.read_old")
	require.NoError(t, s.AddSessionTools("mine", y))
	assertUnknown(t, handleAs(t, ctx, s, callOf("room.read", `{}`)), "room.read")
	assert.Zero(t, runs.Load()+intruded.Load())

	s.UnregisterSession(t.Context(), "mine")
	again := &session{id: "mine"}
	require.NoError(t, s.RegisterSession(t.Context(), again))
	assert.Equal(t, []string{"calc_add", "keys.read", "old_00"}, listedBy(t, s.WithContext(t.Context(), again), s),
		"the names are free again")
}

// A notification about a forbidden tool would reveal it to the client, whose
// list did not change.
func TestRegisterSession_NotifiesOnlyOfToolsThatAreRegistered(t *testing.T) {
	t.Parallel()
	const (
		listChanged = "notifications/tools/list_changed"
		last        = "notifications/test/last"
	)
	runs := 0
	for name, test := range map[string]struct {
		tools []*contract.Tool
		want  []string
	}{
		"a forbidden tool": {[]*contract.Tool{forbidden("keys.delete")}, []string{last}},
		"no tool":          {nil, []string{last}},
		"a visible tool":   {[]*contract.Tool{scoped("room.read", &runs)}, []string{listChanged, last}},
		"a visible and a forbidden": {[]*contract.Tool{forbidden("keys.delete"), scoped("room.read", &runs)}, []string{listChanged,
			last}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newKit(t, (&tools{}).All())
			ids := make(chan string, 1)
			k.server.GetHooks().AddOnRegisterSession(func(_ context.Context, s server.ClientSession) { ids <- s.SessionID() })
			k.serveSessions()
			over, err := transport.NewStreamableHTTP(k.url, transport.WithContinuousListening()) //nolint:staticcheck // the stream of clients older than 2026-07-28
			require.NoError(t, err)
			c := connect(t, over, legacy)
			received := make(chan string, 8)
			c.OnNotification(func(n mcp.JSONRPCNotification) { received <- n.Method })
			id := <-ids
			require.NoError(t, mcpgo.RegisterSession(k.server, id, mcpgo.WithTools(test.tools...)))
			require.NoError(t, k.server.SendNotificationToSpecificClient(id, last, nil))
			var got []string
			for !slices.Contains(got, last) {
				got = append(got, <-received)
			}
			assert.Equal(t, test.want, got)

			for _, tool := range test.tools {
				x, intruded := intruder(tool.Name())
				require.NoError(t, k.server.AddSessionTools(id, x))
				assert.NotContains(t, listedNames(t, c), tool.Name(), "the name is reserved")
				_, _ = callTool(t.Context(), c, tool.Name(), nil)
				assert.Zero(t, intruded.Load())
			}
		})
	}
}

// A listening session has room for notifications.
type listening struct {
	*session
	notifications chan mcp.JSONRPCNotification
}

func (l listening) NotificationChannel() chan<- mcp.JSONRPCNotification { return l.notifications }

func TestRegisterSession_OfAForbiddenToolInAHookSendsNoNotification(t *testing.T) {
	t.Parallel()
	var k *kit
	hooks, called := &server.Hooks{}, false
	hooks.AddOnRegisterSession(func(_ context.Context, s server.ClientSession) {
		called = true
		assert.NoError(t, mcpgo.RegisterSession(k.server, s.SessionID(), mcpgo.WithTools(forbidden("keys.delete"))))
	})
	k = newKit(t, (&tools{}).All(), mcpgo.WithServerOptions(server.WithHooks(hooks)))
	s := listening{&session{id: "mine"}, make(chan mcp.JSONRPCNotification, 1)}
	require.NoError(t, k.server.RegisterSession(t.Context(), s))
	assert.True(t, called)
	assert.Empty(t, s.notifications)
}

// plainSession is a session that cannot have tools of its own.
type plainSession struct{ server.ClientSession }

func TestRegisterSession_ForbiddenToolNeedsASessionWithTools(t *testing.T) {
	t.Parallel()
	k := newKit(t, (&tools{}).All())
	only := mcpgo.WithTools(forbidden("keys.delete"))
	require.ErrorIs(t, mcpgo.RegisterSession(k.server, "unknown", only), server.ErrSessionNotFound)
	require.NoError(t, k.server.RegisterSession(t.Context(), plainSession{&session{id: "plain"}}))
	require.ErrorIs(t, mcpgo.RegisterSession(k.server, "plain", only), server.ErrSessionDoesNotSupportTools)
}

// If many calls register one name at once, exactly one succeeds.
func TestRegisterSession_RunsOneAtATime(t *testing.T) {
	t.Parallel()
	k := newKit(t, (&tools{}).All())
	mine := &session{id: "mine"}
	require.NoError(t, k.server.RegisterSession(t.Context(), mine))
	const n = 16
	errs, start, runs := make(chan error, n), make(chan struct{}), 0
	for range n {
		go func() {
			<-start
			errs <- mcpgo.RegisterSession(k.server, "mine", mcpgo.WithTools(scoped("room.read", &runs)))
		}()
	}
	close(start)
	succeeded := 0
	for range n {
		if err := <-errs; err == nil {
			succeeded++
		} else {
			assert.Equal(t, []string{"serve.taken room.read", "serve.taken room.read", "serve.taken room.read"}, sdktest.Rules(err),
				"the name, and both forms of the alias")
		}
	}
	assert.Equal(t, 1, succeeded)
	assert.NoError(t, mcpgo.Verify(k.server))
}

func TestRegisterSession_FailureReservesNoName(t *testing.T) {
	t.Parallel()
	s := existing(1)
	x, _ := intruder("other.read")
	s.AddTools(x)
	adopt(t, s, (&tools{}).All())
	runs := 0
	tool := mcpgo.WithTools(scoped("other.read", &runs))
	require.ErrorIs(t, mcpgo.RegisterSession(s, "late", tool), server.ErrSessionNotFound)
	late := &session{id: "late"}
	require.NoError(t, s.RegisterSession(t.Context(), late))
	assert.Contains(t, listedBy(t, s.WithContext(t.Context(), late), s), "other.read")
}

func TestRegisterSession_RefusesWrongArguments(t *testing.T) {
	t.Parallel()
	runs := 0
	n := &tools{}
	k := newKit(t, n.All())
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
		"an unknown session": {k.server, "unknown", []mcpgo.Option{mcpgo.WithTools(scoped("room.read", &runs))}, nil,
			server.ErrSessionNotFound},
		"a contract of the server": {k.server, "mine", []mcpgo.Option{mcpgo.WithTools(n.Add().MustBuild())},
			[]string{"serve.taken calc.add", "serve.taken calc.add", "serve.taken calc.add"}, nil},
		"a tool of the session": {k.server, "mine", []mcpgo.Option{mcpgo.WithTools(scoped("room.taken", &runs))},
			[]string{"serve.taken room.taken"}, nil},
		"a forbidden name of the server": {k.server, "mine", []mcpgo.Option{mcpgo.WithTools(scoped("keys.read", &runs))},
			[]string{"serve.taken keys.read"}, nil},
		"forbidding a contract of the server": {k.server, "mine", []mcpgo.Option{mcpgo.WithTools(forbidden("notes.write"))},
			[]string{"serve.taken notes.write"}, nil},
		"a tier":         {k.server, "mine", []mcpgo.Option{mcpgo.WithTier(contract.TierHints)}, []string{"serve.option"}, nil},
		"a naming":       {k.server, "mine", []mcpgo.Option{mcpgo.WithNames(contract.Underscore)}, []string{"serve.option"}, nil},
		"a closed world": {k.server, "mine", []mcpgo.Option{mcpgo.WithClosedWorld()}, []string{"serve.option"}, nil},
		"options of mcp-go": {k.server, "mine", []mcpgo.Option{mcpgo.WithServerOptions(server.WithRecovery())},
			[]string{"serve.option"}, nil},
		"a nil tool": {k.server, "mine", []mcpgo.Option{mcpgo.WithTools(nil)}, []string{"protect.nil"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			err := mcpgo.RegisterSession(test.server, test.session, test.opts...)
			require.Error(t, err)
			assert.Equal(t, test.want, sdktest.Rules(err))
			if test.is != nil {
				assert.ErrorIs(t, err, test.is)
			}
			assert.Len(t, mine.GetSessionTools(), 1)
		})
	}
}

// forbidden returns a forbidden tool, whose existence no agent may learn.
func forbidden(name string) *contract.Tool {
	return contract.New(name, func(context.Context, empty) (string, error) { return "", nil }).
		Description("Does it.").Version("1.0.0").Risk(risk.Forbidden).Effect(risk.ReadOnly).Trust(trust.Trusted).Permissions(
		"keys:read").MustBuild()
}
