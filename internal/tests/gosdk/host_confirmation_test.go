package gosdk_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/gosdk"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/guard/people"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

func readerOf(name string) *contract.Builder[empty, string] {
	return contract.New(name, func(context.Context, empty) (string, error) { return "", nil }).
		Description("Reads.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted)
}

func TestWithHostConfirmation_WritesKeysIntoToolsThatAlwaysAsk(t *testing.T) {
	t.Parallel()
	served := []*contract.Tool{readerOf("notes.ask").ConfirmAlways().MustBuild(), readerOf("notes.read").MustBuild()}
	for name, options := range map[string][]gosdk.Option{
		"without the option": nil,
		"with it":            {gosdk.WithHostConfirmation()},
		"without a contract": {gosdk.WithHostConfirmation(), gosdk.WithTier(contract.TierHints)},
	} {
		k := newKit(t, served, options...)
		sdktest.EachEra(t, func(t *testing.T, e era) {
			list, err := k.client(e, "alice").ListTools(t.Context(), nil)
			require.NoError(t, err)
			require.Len(t, list.Tools, 2)
			for _, tool := range list.Tools {
				for _, key := range []string{"anthropic/requiresUserInteraction", "cursor/requiresConfirmation"} {
					if options == nil || tool.Name != "notes.ask" {
						assert.NotContains(t, tool.Meta, key, name)
					} else {
						assert.Equal(t, true, tool.Meta[key], name)
					}
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
	g, _ := newGuard(t, guard.WithPeople(guard.PeopleOptions{Approver: pendingNowhere{}}))
	_, err := gosdk.NewTable("a", "1.0.0", g, gosdk.WithHostConfirmation(), gosdk.WithTools(readerOf("notes.read").MustBuild()))
	mistakes := contract.DeclarationErrors(err)
	require.Len(t, mistakes, 1)
	assert.Equal(t, "serve.hostConfirmation", mistakes[0].Rule)
}
