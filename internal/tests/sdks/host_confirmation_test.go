package sdks_test

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
)

func TestWithHostConfirmation_WritesKeysIntoToolsThatAlwaysAsk(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*options){
		"without the option": nil,
		"with it":            func(o *options) { o.HostConfirmation = true },
		"without a contract": func(o *options) { o.HostConfirmation, o.Tier = true, contract.TierHints },
	} {
		eachSDK(t, func(t *testing.T, s sdk) {
			with := asWritten(wordTool("notes.ask", "").ConfirmAlways().MustBuild(), wordTool("notes.read", "").MustBuild())
			if change != nil {
				change(&with)
			}
			k := newKit(t, s, with)
			sdktest.EachEra(t, func(t *testing.T, e era) {
				is, order := k.list(e, "alice")
				require.Len(t, order, 2)
				for tool, raw := range is {
					var listed struct {
						Meta map[string]json.RawMessage `json:"_meta"`
					}
					sdktest.Unmarshal(t, raw, &listed)
					for _, key := range []string{"anthropic/requiresUserInteraction", "cursor/requiresConfirmation"} {
						if change == nil || tool != "notes.ask" {
							assert.NotContains(t, listed.Meta, key, name)
						} else {
							assert.Equal(t, "true", string(listed.Meta[key]), name)
						}
					}
				}
			})
		})
	}
}

// pendingNowhere is an approver with no page to ask on.
type pendingNowhere struct{}

func (pendingNowhere) Attach(guard.People) error { return nil }

func (pendingNowhere) Pending(context.Context, people.PendingQuestion) (string, error) {
	return "", nil
}

func TestWithHostConfirmation_IsRefusedBesideAnApprover(t *testing.T) {
	t.Parallel()
	eachSDK(t, func(t *testing.T, s sdk) {
		g, _ := newGuard(t, s, guard.WithPeople(guard.PeopleOptions{Approver: pendingNowhere{}}))
		with := serving(wordTool("notes.read", "").MustBuild())
		with.HostConfirmation = true
		_, err := s.NewServer("a", "1.0.0", g, with)
		assert.Equal(t, []string{"serve.hostConfirmation"}, sdktest.Rules(err))
	})
}
