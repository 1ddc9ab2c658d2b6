package mcpgo_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
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

func TestList_ShowsWhatThePermissionsAllow(t *testing.T) {
	t.Parallel()
	k := newKit(t, (&tools{}).All())
	sdktest.EachEra(t, func(t *testing.T, e era) {
		for token, want := range map[string][]string{
			"":      {"calc.add"},
			"bob":   {"calc.add"},
			"alice": {"calc.add", "notes.write"},
		} {
			assert.Equal(t, want, listedNames(t, k.client(e, token)), "token %q", token)
		}
		for _, token := range []string{"down", "forged"} {
			raw := k.post(e, token, "tools/list", "", sdktest.Message(t, e, 1, "tools/list", `{}`))
			assert.Len(t, sdktest.Parse(t, raw).Result.Tools, 1, "a caller whose principal cannot be determined sees the anonymous list")
		}
	})
}

// Two tokens of one person can have different permissions, and a token can lose
// some. Neither a list nor the contracts that were added meanwhile are kept for
// the next caller.
func TestList_FollowsThePermissionsOfEachRequest(t *testing.T) {
	t.Parallel()
	n := &tools{}
	k := newScopedKit(t, n.All()...)
	lists := func(token string) []string { return listedNames(t, k.client(modern, token)) }
	for range 2 {
		assert.Equal(t, []string{"calc.add"}, lists("-"))
		assert.Equal(t, []string{"calc.add", "notes.write"}, lists("notes.write"))
		assert.Equal(t, []string{"calc.add"}, lists("notes.read"))
	}
	find := reader("notes.find").Permissions("notes:read").MustBuild()
	require.NoError(t, mcpgo.Add(k.server, find))
	assert.Equal(t, []string{"calc.add", "notes.find"}, lists("notes.read"))
	assert.Equal(t, []string{"calc.add", "notes.find", "notes.write"}, lists("notes.read+notes.write"))
	assert.Equal(t, []string{"calc.add", "notes.write"}, lists("notes.write"))

	// The same name needs another permission from now on.
	require.NoError(t, mcpgo.Replace(k.server, reader("notes.find").Permissions("notes:write").MustBuild()))
	assert.Empty(t, lists("notes.read"))
	assert.Equal(t, []string{"notes.find"}, lists("notes.write"))
}

// newScopedKit returns a kit whose bearer tokens all belong to one person and
// name their permissions: notes.read+notes.write.
func newScopedKit(t *testing.T, served ...*contract.Tool) *kit {
	t.Helper()
	k := &kit{t: t, log: &audit.Recorder{}}
	var err error
	k.guard, err = guard.New(guard.WithAudit(k.log), guard.WithPrincipal(mcpgo.Bearer(func(_ context.Context,
		token string) (guard.Principal, error) {
		return guard.Principal{Issuer: "test", Subject: "alice", Permissions: strings.Split(strings.ReplaceAll(token, ".", ":"), "+")},
			nil
	})))
	require.NoError(t, err)
	k.server, err = mcpgo.NewServer("kit", "1.0.0", k.guard, asWritten(mcpgo.WithTools(served...))...)
	require.NoError(t, err)
	k.serveHTTP()
	t.Cleanup(func() { _ = k.guard.Close(context.WithoutCancel(t.Context())) })
	return k
}

// The race detector watches lists of several callers while contracts change.
func TestList_IsSafeWhileContractsChange(t *testing.T) {
	t.Parallel()
	n := &tools{}
	k := newScopedKit(t, n.Note(nil).MustBuild())
	find := [2]*contract.Tool{
		reader("notes.find").Permissions("notes:read").MustBuild(), reader("notes.find").Permissions("notes:write").MustBuild(),
	}
	var wg sync.WaitGroup
	for _, token := range []string{"notes.read", "notes.write", "-"} {
		wg.Go(func() {
			for range 30 {
				found := sdktest.Parse(t, k.post(modern, token, "tools/list", "", sdktest.Message(t, modern, 1, "tools/list", `{}`)))
				if assert.NotNil(t, found.Result) && token == "-" {
					assert.Empty(t, found.Result.Tools, "no tool is free")
				}
			}
		})
	}
	for i := range 30 {
		require.NoError(t, mcpgo.Replace(k.server, n.Note(nil).MustBuild(), find[i%2]))
	}
	wg.Wait()
}

func TestList_EmptyIsNotNull(t *testing.T) {
	t.Parallel()
	k := newKit(t, []*contract.Tool{(&tools{}).Note(nil).MustBuild()})
	sdktest.EachEra(t, func(t *testing.T, e era) {
		raw := k.post(e, "bob", "tools/list", "", sdktest.Message(t, e, 1, "tools/list", `{}`))
		assert.Contains(t, raw, `"tools":[]`)
	})
}

// pages reads a list page by page, and returns the raw answers and the cursors.
func (k *kit) pages(t *testing.T, e era, token string) (answers []string, cursors []string) {
	t.Helper()
	params := `{}`
	for range 20 {
		raw := k.post(e, token, "tools/list", "", sdktest.Message(t, e, 1, "tools/list", params))
		answers = append(answers, raw)
		a := sdktest.Parse(t, raw)
		require.NotNil(t, a.Result, "answer: %s", raw)
		if a.Result.NextCursor == "" {
			return answers, cursors
		}
		cursors = append(cursors, a.Result.NextCursor)
		params = `{"cursor":"` + a.Result.NextCursor + `"}`
	}
	t.Fatal("the list does not end")
	return nil, nil
}

// mcp-go's cursor is the name of the last tool of a page, even if the caller
// may not see that tool.
func TestCursor_RevealsNoToolName(t *testing.T) {
	t.Parallel()
	k := newKit(t, (&tools{}).All(), mcpgo.WithServerOptions(server.WithPaginationLimit(1)))
	sdktest.EachEra(t, func(t *testing.T, e era) {
		answers, cursors := k.pages(t, e, "bob")
		require.NotEmpty(t, cursors)
		for _, raw := range answers {
			assert.NotContains(t, raw, "notes")
			assert.NotContains(t, raw, base64.StdEncoding.EncodeToString([]byte("notes.write")))
		}
		for _, c := range cursors {
			assert.Len(t, c, len(cursors[0]), "the length does not depend on a name")
			decoded, err := base64.RawURLEncoding.DecodeString(c)
			require.NoError(t, err)
			assert.NotContains(t, string(decoded), "notes")
		}

		c := k.client(e, "alice")
		var all []string
		req := mcp.ListToolsRequest{}
		for {
			page, err := c.ListToolsByPage(t.Context(), req)
			require.NoError(t, err)
			all = append(all, names(page.Tools)...)
			if req.Params.Cursor = page.NextCursor; req.Params.Cursor == "" {
				break
			}
		}
		assert.Equal(t, []string{"calc.add", "notes.write"}, all)
	})
}

func TestCursor_OfAnotherOriginIsInvalid(t *testing.T) {
	t.Parallel()
	n := &tools{}
	k := newKit(t, n.All(), mcpgo.WithServerOptions(server.WithPaginationLimit(1)))
	other := newKit(t, n.All(), mcpgo.WithServerOptions(server.WithPaginationLimit(1)))
	_, foreign := other.pages(t, modern, "alice")
	_, own := k.pages(t, modern, "alice")
	flipped := "A" + own[0][1:]
	if flipped == own[0] {
		flipped = "B" + own[0][1:]
	}
	for name, cursor := range map[string]string{
		"a cursor of mcp-go's":       base64.StdEncoding.EncodeToString([]byte("calc.add")),
		"a cursor of another server": foreign[0],
		"changed":                    flipped,
		"cut":                        own[0][:len(own[0])-4],
		"lengthened":                 own[0] + "AAAA",
		"not base64":                 "?",
		"empty once decoded":         "AA",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sdktest.EachEra(t, func(t *testing.T, e era) {
				a := sdktest.Parse(t, k.post(e, "alice", "tools/list", "", sdktest.Message(t, e, 1, "tools/list", `{"cursor":"`+cursor+`"}`)))
				require.NotNil(t, a.Error)
				assert.Equal(t, mcp.INVALID_PARAMS, a.Error.Code)
			})
		})
	}
}

func TestList_ThatDependsOnTheCallerIsNotShared(t *testing.T) {
	t.Parallel()
	public := mcpgo.WithServerOptions(server.WithCacheHints(60_000, mcp.CacheScopePublic))
	n := &tools{}
	t.Run("a list that depends on the caller", func(t *testing.T) {
		t.Parallel()
		k := newKit(t, n.All(), public)
		a := sdktest.Parse(t, k.post(modern, "alice", "tools/list", "", sdktest.Message(t, modern, 1, "tools/list", `{}`)))
		assert.Equal(t, "private", a.Result.CacheScope)
	})
	t.Run("a server author's hook that sets public", func(t *testing.T) {
		t.Parallel()
		hooks := &server.Hooks{}
		hooks.AddAfterListTools(func(_ context.Context, _ any, _ *mcp.ListToolsRequest, r *mcp.ListToolsResult) {
			r.SetCacheHints(5, mcp.CacheScopePublic)
		})
		k := newKit(t, n.All(), mcpgo.WithServerOptions(server.WithHooks(hooks)))
		a := sdktest.Parse(t, k.post(modern, "alice", "tools/list", "", sdktest.Message(t, modern, 1, "tools/list", `{}`)))
		assert.Equal(t, "private", a.Result.CacheScope)
		require.NotNil(t, a.Result.TTLMs)
		assert.EqualValues(t, 5, *a.Result.TTLMs)
	})
	t.Run("a list that does not depend on the caller", func(t *testing.T) {
		t.Parallel()
		k := newKit(t, []*contract.Tool{n.Add().MustBuild()}, public)
		a := sdktest.Parse(t, k.post(modern, "", "tools/list", "", sdktest.Message(t, modern, 1, "tools/list", `{}`)))
		assert.Equal(t, "public", a.Result.CacheScope)
	})
	t.Run("older clients get no hints", func(t *testing.T) {
		t.Parallel()
		k := newKit(t, n.All(), public)
		raw := k.post(legacy, "alice", "tools/list", "", sdktest.Message(t, legacy, 1, "tools/list", `{}`))
		assert.NotContains(t, raw, "cacheScope")
		assert.NotContains(t, raw, "ttlMs")
	})
}

func TestList_IsDeterministic(t *testing.T) {
	t.Parallel()
	var served []*contract.Tool
	for i := range 12 {
		served = append(served, contract.New(fmt.Sprintf("t.n%02d", 11-i), func(context.Context, empty) (string, error) {
			return "", nil
		}).
			From(contract.Base{Description: "Reads.", Version: "1.0.0", Effect: risk.ReadOnly,
				Trust: trust.Trusted}).Aliases(fmt.Sprintf("old.n%02d", i)).MustBuild())
	}
	first := ""
	for range 5 {
		raw := handle(t, serve(t, mcpgo.WithTools(served...)), `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
		if first == "" {
			first = raw
		}
		require.Equal(t, first, raw)
		assert.Equal(t, 12, strings.Count(raw, `"inputSchema"`))
	}
}

// Only a cursor that the server sealed opens. Every other cursor is answered
// with an error.
func FuzzCursor(f *testing.F) {
	n := &tools{}
	s, err := mcpgo.NewServer("s", "1.0.0", nil, asWritten(mcpgo.WithTools(n.Add().MustBuild()))...)
	require.NoError(f, err)
	for _, seed := range []string{"", "!", "Y2FsYy5hZGQ=", "AAAA", strings.Repeat("A", 300), "\x00", "é"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, cursor string) {
		req := mcp.ListToolsRequest{}
		req.Params.Cursor = mcp.Cursor(cursor)
		raw, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": req.Params})
		require.NoError(t, err)
		a := sdktest.Parse(t, handle(t, s, string(raw)))
		if cursor == "" {
			require.NotNil(t, a.Result)
			return
		}
		require.NotNil(t, a.Error, "cursor %q opened", cursor)
		require.Equal(t, mcp.INVALID_PARAMS, a.Error.Code)
	})
}
