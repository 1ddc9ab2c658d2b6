package sdks_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/risk"
)

func TestAdd_ServesToolsThatComeLater(t *testing.T) {
	t.Parallel()
	eachSDK(t, func(t *testing.T, s sdk) {
		k := newKit(t, s, asWritten(wordTool("word.first", "one").MustBuild()))
		require.NoError(t, k.server.Add(wordTool("word.later", "two").Aliases("word.old").MustBuild(),
			wordTool("word.secret", "x").Permissions("notes:write").MustBuild()))
		require.NoError(t, k.server.Verify())
		sdktest.EachEra(t, func(t *testing.T, e era) {
			assert.Equal(t, []string{"word.first", "word.later"}, k.client(e, "bob", nil).Names(t))
			assert.Equal(t, []string{"word.first", "word.later", "word.secret"}, k.client(e, "alice", nil).Names(t))
			assert.Equal(t, "two", firstText(t, k.call(e, "bob", "word.later", `{}`)))
			assert.Equal(t, "two", firstText(t, k.call(e, "bob", "word.old", `{}`)))
			assert.Equal(t, "one", firstText(t, k.call(e, "bob", "word.first", `{}`)))
			sdktest.AssertRefused(t, k.call(e, "bob", "word.later", `{"a":1}`), contract.CodeInvalidInput)
		})
		assert.Equal(t, []string{"word.first", "word.later", "word.secret"}, toolNames(k.server.ToolsOf()))
	})
}

func TestAdd_ReplacesTheSameToolAndNothingElse(t *testing.T) {
	t.Parallel()
	eachSDK(t, func(t *testing.T, s sdk) {
		k := newKit(t, s, asWritten(wordTool("word.first", "one").Aliases("word.alias").MustBuild()))
		words := func(name string) string {
			t.Helper()
			return firstText(t, calling(t, k.server, name, `{}`))
		}
		require.NoError(t, k.server.Add(wordTool("word.first", "again").Aliases("word.alias").MustBuild()), "the contract is equal")
		require.NoError(t, k.server.Verify())
		assert.Equal(t, "again", words("word.first"))
		assert.Equal(t, "again", words("word.alias"))

		other := wordTool("word.first", "other").Version("2.0.0").MustBuild()
		for name, tools := range map[string][]*contract.Tool{
			"another contract": {other},
			"an alias":         {wordTool("word.alias", "x").MustBuild()},
			"a new alias":      {wordTool("word.new", "x").Aliases("word.first").MustBuild()},
			"nil":              {nil},
			"twice":            {wordTool("word.new", "x").MustBuild(), wordTool("word.new", "y").MustBuild()},
			"a principal": {wordTool("word.new", "x").MustBuild(),
				wordTool("word.first", "x").Risk(risk.High).Permissions("a").Version("2.0.0").MustBuild()},
		} {
			require.NotEmpty(t, contract.DeclarationErrors(k.server.Add(tools...)), name)
			assert.Equal(t, "again", words("word.first"), name)
			k.assertUnknown(calling(t, k.server, "word.new", `{}`), "word.new")
			require.NoError(t, k.server.Verify(), name)
		}
		k.server.RemoveTool("word.first")
		require.NoError(t, k.server.Add(other), "its name is free")
		assert.Equal(t, "other", words("word.first"))
		k.assertUnknown(calling(t, k.server, "word.alias", `{}`), "word.alias")
		require.NoError(t, k.server.Verify())
		assert.Equal(t, []string{"serve.server"}, sdktest.Rules(orders(s).Add(other)))
		assert.Equal(t, []string{"serve.server"}, sdktest.Rules(s.Nil().Add(other)))
	})
}

func TestAdd_ReplacesAToolWithoutAContractInTheOpenWorld(t *testing.T) {
	t.Parallel()
	eachSDK(t, func(t *testing.T, s sdk) {
		o := orders(s)
		g, _ := newGuard(t, s)
		require.NoError(t, o.Register(g, serving(wordTool("word_first", "one").FlatName().MustBuild())))
		require.NoError(t, o.Add(wordTool("find_order", "typed").FlatName().MustBuild()))
		assert.Equal(t, "typed", firstText(t, calling(t, o, "find_order", `{}`)))
		assert.Equal(t, "{}", firstText(t, calling(t, o, "cancel_order", `{}`)), "it stays as it was")
		require.NoError(t, o.Add(wordTool("cancel_order", "x").FlatName().Risk(risk.Forbidden).Permissions("notes:write").MustBuild()))
		assertUnknown(t, s, calling(t, o, "cancel_order", `{}`), "cancel_order")
	})
}

// Run this with -race.
func TestAdd_IsSafeWhileTheServerServes(t *testing.T) {
	t.Parallel()
	eachSDK(t, func(t *testing.T, s sdk) {
		o := later(t, s)
		drop := func() { o.AddTool(plain("drop_orders"), saying("dropped")) }
		var group sync.WaitGroup
		for i := range 4 {
			group.Go(func() {
				for range 10 {
					assert.NoError(t, o.Add(wordTool("word.same", "x").MustBuild()))
					assert.NoError(t, o.Add(wordTool("word.own"+string(rune('a'+i)), "x").MustBuild()))
					drop()
				}
			})
			group.Go(func() {
				for range 20 {
					o.Handle(t, list)
					calling(t, o, "find_order", `{"id":"1"}`)
					calling(t, o, "drop_orders", `{}`)
					if a := sdktest.Parse(t, calling(t, o, "cancel_order", `{}`)); assert.NotNil(t, a.Result) {
						assert.True(t, a.Result.IsError)
					}
				}
			})
		}
		group.Wait()
		calling(t, o, "drop_orders", `{}`) // wraps the last one that was added
		require.NoError(t, o.Verify())
		assert.Len(t, o.ToolsOf(), 8)
	})
}

// A program removes a tool for a reason.
func TestAdd_BringsNoRemovedToolBack(t *testing.T) {
	t.Parallel()
	eachSDK(t, func(t *testing.T, s sdk) {
		first := wordTool("word.first", "one").Aliases("word.alias").MustBuild()
		k := newKit(t, s, asWritten(first))
		k.server.RemoveTool("word.first")
		require.NoError(t, k.server.Add(wordTool("word.later", "two").MustBuild()))
		assert.Equal(t, []string{"word.later"}, toolNames(k.server.ToolsOf()))
		sdktest.EachEra(t, func(t *testing.T, e era) {
			assert.Equal(t, []string{"word.later"}, k.client(e, "bob", nil).Names(t))
			k.assertUnknown(k.call(e, "bob", "word.first", `{}`), "word.first")
			k.assertUnknown(k.call(e, "bob", "word.alias", `{}`), "word.alias")
		})
		require.NoError(t, k.server.Add(first), "it comes back when it is added")
		assert.Equal(t, "one", firstText(t, k.call(modern, "bob", "word.first", `{}`)))
	})
}
