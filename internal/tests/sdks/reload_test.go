package sdks_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter/wrap"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/risk"
)

// clusterTools returns the tools of a server that registers them again when
// its configuration changes, as containers/kubernetes-mcp-server does. Their
// schemas list the contexts in the configuration.
func clusterTools(contexts ...string) []definition {
	enum, err := json.Marshal(contexts)
	if err != nil {
		panic(err)
	}
	tools := []definition{reads("pods_list"), plain("pods_delete"), reads("helm.list")}
	for i := range tools {
		tools[i].input = `{"type":"object","properties":{"context":{"type":"string","enum":` + string(enum) + `}}}`
	}
	return tools
}

// addCluster adds tools that answer with their name and their contexts.
func addCluster(s server, tools []definition, contexts ...string) {
	for _, tool := range tools {
		s.AddTool(tool, saying(tool.name+" of "+strings.Join(contexts, ",")))
	}
}

// A server that reloads its configuration registers its tools again, with
// other schemas. They used to vanish until a restart.
func TestWrapAll_ToolsThatAreRegisteredAgainAreWrappedAgain(t *testing.T) {
	t.Parallel()
	for name, remove := range map[string][]string{
		"replaced":          nil,
		"removed and added": {"pods_list", "pods_delete", "helm_list"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachEra(t, func(t *testing.T, s sdk, e era) {
				o := s.Existing("cluster", "", 0)
				addCluster(o, clusterTools("dev"), "dev")
				k := newKitOf(t, s, o)
				deletes := contract.Base{
					Effect: risk.HighRiskWrite, Confirmation: contract.ConfirmationNever, ConfirmationReason: "Tests.",
				}
				_, err := o.WrapAll(k.guard, wrap.Rules{
					Base: versioned(), Tools: map[string]wrap.Rule{"pods_delete": {Base: deletes}},
				}, options{})
				require.NoError(t, err)
				c := k.client(e, "alice", nil)
				call := func(token, tool, at string) string { return k.call(e, token, tool, `{"context":"`+at+`"}`) }
				all := []string{"helm_list", "pods_delete", "pods_list"}
				require.Equal(t, all, c.Names(t))
				sdktest.AssertRefused(t, call("alice", "pods_delete", "prod"), contract.CodeInvalidInput)

				for range 2 { // the second time, nothing changed
					for _, name := range remove {
						o.RemoveTool(name)
					}
					addCluster(o, clusterTools("dev", "prod"), "dev", "prod")
					assert.Equal(t, "pods_delete of dev,prod", firstText(t, call("alice", "pods_delete", "prod")))
					assert.Equal(t, all, c.Names(t))
					assert.Equal(t, "helm.list of dev,prod", firstText(t, call("alice", "helm_list", "prod")))
					require.NoError(t, o.Verify())
				}

				o.RemoveTool("pods_list") // a toolset is turned off and on
				o.RemoveTool("pods_delete")
				assert.Equal(t, []string{"helm_list"}, c.Names(t))
				addCluster(o, clusterTools("prod")[:2], "prod")
				assert.Equal(t, all, c.Names(t))
				sdktest.AssertRefused(t, call("alice", "pods_delete", "dev"), contract.CodeInvalidInput)
				assert.Equal(t, "pods_delete of prod", firstText(t, call("alice", "pods_delete", "prod")))
				assert.Equal(t, "pods_list of prod", firstText(t, call("alice", "pods_list", "prod")))
				for _, name := range all {
					sdktest.AssertRefused(t, call("bob", name, "prod"), contract.CodePermissionDenied)
				}
				require.NoError(t, o.Verify())
			})
		})
	}
}

// The rule for a name also wraps another handler or definition under it. No
// tool takes the name of a contract that a program added itself.
func TestWrapAll_AnotherToolUnderAWrappedNameIsWrappedAgain(t *testing.T) {
	t.Parallel()
	eachSDK(t, func(t *testing.T, s sdk) {
		same := plain("cancel_order")
		same.input = `{"type":"object","properties":{"id":{"type":"string"}},"required":["id"]}`
		other := same
		other.description = "It is another."
		other.input = `{"type":"object","properties":{"id":{"type":"string"},"why":{"type":"string"}},"required":["id"]}`
		o := later(t, s)
		for _, next := range []struct {
			tool  definition
			words string
		}{
			{same, "another handler"}, {other, "another definition"}, {other, "another handler"}, {same, "the first definition"},
		} {
			o.AddTool(next.tool, saying(next.words))
			sdktest.AssertRefused(t, calling(t, o, "cancel_order", `{}`), contract.CodeInvalidInput)
			assert.Equal(t, next.words, firstText(t, calling(t, o, "cancel_order", `{"id":"1"}`)))
			is, _ := listed(t, o)
			assert.Contains(t, is["cancel_order"], next.tool.description)
			require.NoError(t, o.Verify(), next.words)
		}
		assertUnknown(t, s, calling(t, o, "no_such", `{}`), "no_such")
		o.RemoveTool("drop_orders")
		assertUnknown(t, s, calling(t, o, "drop_orders", `{}`), "drop_orders")
		assert.Equal(t, []string{"verify.missing drop_orders"}, sdktest.Rules(o.Verify()))

		o = later(t, s)
		require.NoError(t, o.Add(wordTool("word_first", "typed").FlatName().MustBuild()))
		runs := intruder(o, plain("word_first"))
		assertUnknown(t, s, calling(t, o, "word_first", `{}`), "word_first")
		assert.Equal(t, []string{"verify.replaced word_first"}, sdktest.Rules(o.Verify()))
		assert.Zero(t, runs.Load())
	})
}

// A changed definition that weakens the contract needs the consent of the
// server's author.
func TestThreat146_AToolThatIsRegisteredAgainCannotWeakenItsContract(t *testing.T) { //nolint:paralleltest // sets the logger
	for _, s := range all { //nolint:paralleltest // sets the logger
		t.Run(s.Name(), func(t *testing.T) {
			var lines bytes.Buffer
			before := slog.Default()
			slog.SetDefault(slog.New(slog.NewTextHandler(&lines, nil)))
			t.Cleanup(func() { slog.SetDefault(before) })
			o := s.Existing("cluster", "", 0)
			addCluster(o, clusterTools("dev"), "dev")
			k := newKitOf(t, s, o)
			_, err := o.WrapAll(k.guard, wrap.Rules{Base: versioned()}, options{})
			require.NoError(t, err)
			for range 2 {
				o.AddTool(reads("pods_delete"), saying("weaker"))
				for range 2 {
					for _, e := range []era{legacy, modern} {
						k.assertUnknown(k.call(e, "alice", "pods_delete", `{}`), "pods_delete")
					}
				}
				assert.Equal(t, []string{"verify.replaced pods_delete"}, sdktest.Rules(o.Verify()))
				addCluster(o, clusterTools("dev"), "dev")
				for _, e := range []era{legacy, modern} {
					sdktest.AssertRefused(t, k.call(e, "alice", "pods_delete", `{}`), contract.CodeConfirmationRequired)
				}
				require.NoError(t, o.Verify())
			}
			assert.Equal(t, 1, strings.Count(lines.String(), "wrap.weaker"), lines.String())
			assert.Contains(t, lines.String(), "declare its effect in a rule, and restart the server")
			assert.NotContains(t, lines.String(), "guessed in part", "the report has equal guesses")
		})
	}
}

func TestWrapAll_ACallByAnyNameFindsAToolThatIsRegisteredAgain(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"pods_list", "helm_list", "pods_ls", "helm_ls"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachEra(t, func(t *testing.T, s sdk, e era) {
				o := s.Existing("cluster", "", 0)
				addCluster(o, clusterTools("dev"), "dev")
				k := newKitOf(t, s, o)
				_, err := o.WrapAll(k.guard, wrap.Rules{Base: versioned(), Tools: map[string]wrap.Rule{
					"pods_list": {Declare: func(b *wrap.Builder) { b.Aliases("pods.ls") }},
					"helm.list": {Declare: func(b *wrap.Builder) { b.Aliases("helm.ls") }},
				}}, options{})
				require.NoError(t, err)
				call := func() string { return k.call(e, "alice", name, `{"context":"prod"}`) }
				sdktest.AssertRefused(t, call(), contract.CodeInvalidInput)
				addCluster(o, clusterTools("dev", "prod"), "dev", "prod")
				assert.Contains(t, firstText(t, call()), " of dev,prod")
				require.NoError(t, o.Verify())
			})
		})
	}
}
