package mcpgo_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/guard/people"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/mcpgo"
)

// metaKeys returns the keys of _meta of each tool, as the list has them.
func metaKeys(t *testing.T, list string) map[string]map[string]json.RawMessage {
	t.Helper()
	all := map[string]map[string]json.RawMessage{}
	for _, raw := range sdktest.Parse(t, list).Result.Tools {
		var tool struct {
			Name string                     `json:"name"`
			Meta map[string]json.RawMessage `json:"_meta"`
		}
		require.NoError(t, json.Unmarshal(raw, &tool))
		all[tool.Name] = tool.Meta
	}
	return all
}

func TestWithHostConfirmation_WritesKeysIntoToolsThatAlwaysAsk(t *testing.T) {
	t.Parallel()
	asking := reader("notes.ask").ConfirmAlways().MustBuild()
	for name, options := range map[string][]mcpgo.Option{
		"without the option": nil,
		"with it":            {mcpgo.WithHostConfirmation()},
		"without a contract": {mcpgo.WithHostConfirmation(), mcpgo.WithTier(contract.TierHints)},
	} {
		k := newKit(t, []*contract.Tool{asking, reader("notes.read").MustBuild()}, options...)
		sdktest.EachEra(t, func(t *testing.T, e era) {
			tools := metaKeys(t, k.post(e, "alice", "tools/list", "", sdktest.Message(t, e, 1, "tools/list", `{}`)))
			require.Contains(t, tools, "notes.ask")
			for _, key := range []string{"anthropic/requiresUserInteraction", "cursor/requiresConfirmation"} {
				assert.NotContains(t, tools["notes.read"], key, name)
				if options == nil {
					assert.NotContains(t, tools["notes.ask"], key, name)
				} else {
					assert.Equal(t, "true", string(tools["notes.ask"][key]), name)
				}
			}
		})
	}
}

// pendingNowhere is an approver that asks on no page.
type pendingNowhere struct{}

func (pendingNowhere) Attach(guard.People) error { return nil }

func (pendingNowhere) Pending(context.Context, people.PendingQuestion) (string, error) {
	return "", nil
}

func TestWithHostConfirmation_IsRefusedBesideAnApprover(t *testing.T) {
	t.Parallel()
	g, err := guard.New(guard.WithPeople(guard.PeopleOptions{Approver: pendingNowhere{}}))
	require.NoError(t, err)
	_, err = mcpgo.NewServer("a", "1.0.0", g, mcpgo.WithHostConfirmation(), mcpgo.WithTools(reader("notes.read").MustBuild()))
	mistakes := contract.DeclarationErrors(err)
	require.Len(t, mistakes, 1)
	assert.Equal(t, "serve.hostConfirmation", mistakes[0].Rule)
}
