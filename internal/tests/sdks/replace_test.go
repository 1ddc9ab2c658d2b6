package sdks_test

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter/wrap"
	agent "github.com/toolcontract/toolcontract/agent/client"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/gateway"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/risk"
)

func TestReplace_ServesExactlyTheGivenTools(t *testing.T) {
	t.Parallel()
	eachEra(t, func(t *testing.T, s sdk, e era) {
		k := newKit(t, s, asWritten(
			wordTool("word.same", "one").MustBuild(), wordTool("word.changed", "one").Aliases("word.alias").MustBuild(),
			wordTool("word.gone", "one").MustBuild(), wordTool("word.hidden", "one").MustBuild(),
		))
		c := k.client(e, "alice", nil)
		require.Equal(t, []string{"word.changed", "word.gone", "word.hidden", "word.same"}, c.Names(t))
		require.NoError(t, k.server.Replace(
			wordTool("word.same", "two").MustBuild(), wordTool("word.changed", "two").Version("2.0.0").MustBuild(),
			wordTool("word.fresh", "two").MustBuild(), wordTool("word.hidden",
				"two").Risk(risk.Forbidden).Permissions("notes:write").MustBuild()))
		assert.Equal(t, []string{"word.changed", "word.fresh", "word.same"}, c.Names(t))
		for _, name := range []string{"word.same", "word.changed", "word.fresh"} {
			assert.Equal(t, "two", firstText(t, k.call(e, "alice", name, `{}`)), name)
		}
		for _, name := range []string{"word.gone", "word.hidden", "word.alias"} {
			k.assertUnknown(k.call(e, "alice", name, `{}`), name)
		}
		require.NoError(t, k.server.Verify())
		assert.Equal(t, []string{"word.changed", "word.fresh", "word.hidden", "word.same"}, toolNames(k.server.ToolsOf()))

		require.NoError(t, k.server.Replace())
		assert.Empty(t, c.Names(t))
		require.NoError(t, k.server.Replace(wordTool("word.gone", "back").MustBuild(), wordTool("word.same", "back").MustBuild()))
		assert.Equal(t, []string{"word.gone", "word.same"}, c.Names(t))
		assert.Equal(t, "back", firstText(t, k.call(e, "alice", "word.gone", `{}`)))
	})
}

// The endpoint of a gateway follows the server behind it.
func TestReplace_PublishesTheToolsOfAGateway(t *testing.T) {
	t.Parallel()
	eachSDK(t, func(t *testing.T, s sdk) {
		behind := newKit(t, s, serving(wordTool("word.first", "one").MustBuild()))
		front := newKit(t, s, options{})
		gw, err := gateway.New([]gateway.Upstream{{Name: "words", Own: true, Client: agent.New(agent.HTTP{URL: behind.url})}},
			func(tools []*contract.Tool) error { return front.server.Replace(tools...) }, gateway.Options{})
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, gw.Close()) })
		for _, listed := range [][]string{{"word_first"}, {"word_first", "word_second"}} {
			_, err = gw.Refresh(t.Context())
			require.NoError(t, err)
			sdktest.EachEra(t, func(t *testing.T, e era) {
				assert.Equal(t, listed, front.client(e, "alice", nil).Names(t))
				assert.Equal(t, "one", firstText(t, front.call(e, "alice", listed[len(listed)-1], `{}`)))
			})
			first, second := wordTool("word.first", "two").MustBuild(), wordTool("word.second", "one").MustBuild()
			require.NoError(t, behind.server.Replace(first, second))
		}
	})
}

func TestReplace_LeavesToolsWithoutAContract(t *testing.T) {
	t.Parallel()
	eachSDK(t, func(t *testing.T, s sdk) {
		o := orders(s)
		require.NoError(t, o.Register(nil, asWritten(wordTool("word.first", "one").MustBuild())))
		require.NoError(t, o.Replace())
		_, order := listed(t, o)
		assert.Equal(t, []string{"cancel_order", "drop_orders", "find_order"}, order)
		assert.Equal(t, "dropped", firstText(t, calling(t, o, "drop_orders", `{}`)))
	})
}

func TestReplace_RefusesWhatCannotBeServed(t *testing.T) {
	t.Parallel()
	eachSDK(t, func(t *testing.T, s sdk) {
		k := newKit(t, s, asWritten(wordTool("word.first", "one").MustBuild()))
		require.NotEmpty(t, contract.DeclarationErrors(k.server.Replace(nil)))
		assert.Empty(t, k.client(modern, "alice", nil).Names(t), "the old contract is not served any more")
		assert.Equal(t, []string{"serve.server"}, sdktest.Rules(orders(s).Replace()))
		assert.Equal(t, []string{"serve.server"}, sdktest.Rules(s.Nil().Replace()))
	})
}

// Replace removes the tools of WrapAll too, but not the memory of what they
// were: see threat 146.
func TestReplace_RemembersWhatAWrappedToolWas(t *testing.T) {
	t.Parallel()
	eachEra(t, func(t *testing.T, s sdk, e era) {
		o := s.Existing("cluster", "", 0)
		addCluster(o, clusterTools("dev"), "dev")
		k := newKitOf(t, s, o)
		_, err := o.WrapAll(k.guard, wrap.Rules{Base: versioned()}, options{})
		require.NoError(t, err)
		for range 2 {
			require.NoError(t, o.Replace(wordTool("word.only", "one").MustBuild()))
			require.Equal(t, []string{"word_only"}, k.client(e, "alice", nil).Names(t))
			k.assertUnknown(k.call(e, "alice", "pods_delete", `{}`), "pods_delete")
			require.NoError(t, o.Verify())

			runs := intruder(o, reads("pods_delete"))
			k.assertUnknown(k.call(e, "alice", "pods_delete", `{}`), "pods_delete")
			assert.Zero(t, runs.Load(), "it is weaker than before")
			addCluster(o, clusterTools("dev"), "dev")
			sdktest.AssertRefused(t, k.call(e, "alice", "pods_delete", `{}`), contract.CodeConfirmationRequired)
			require.NoError(t, o.Verify())
		}
	})
}

// A request that has seen a tool just before Replace removes it doesn't wrap it
// again. Run this with -race.
func TestReplace_IsSafeWhileTheServerServes(t *testing.T) {
	t.Parallel()
	eachSDK(t, func(t *testing.T, s sdk) {
		o := later(t, s)
		only := wordTool("word.only", "one").MustBuild()
		var done atomic.Bool
		var readers sync.WaitGroup
		for range 3 {
			readers.Go(func() {
				for !done.Load() {
					o.Handle(t, list)
				}
			})
		}
		for range 50 {
			o.AddTool(reads("find_order"), saying("found"))
			assert.NoError(t, o.Replace(only))
			for range 2 { // the readers end what they began
				assert.NotContains(t, sdktest.Rules(o.Verify()), "verify.missing find_order")
				calling(t, o, "word_only", `{}`)
			}
		}
		done.Store(true)
		readers.Wait()
		o.Handle(t, list)
		assert.NoError(t, o.Verify())
	})
}
