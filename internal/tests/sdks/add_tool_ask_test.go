package sdks_test

import (
	"bytes"
	"context"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/risk"
)

type city struct {
	City string `json:"city"`
}

// An asker is a typed handler of AddTool. It may ask its client through the SDK.
type asker func(ctx context.Context, ask func(context.Context, form) (answer, error)) (city, error)

// The SDKs send no request of a server to clients of 2026-07-28, which answer
// questions in rounds.
func TestAddTool_AHandlerAsksOlderClientsThroughItsSDK(t *testing.T) {
	t.Parallel()
	eachEra(t, func(t *testing.T, s sdk, e era) {
		k := newKitOf(t, s, s.Existing("cities", "", 0))
		require.NoError(t, k.server.AddAsking(k.guard, "find_city",
			func(ctx context.Context, ask func(context.Context, form) (answer, error)) (city, error) {
				given, err := ask(ctx, form{"Which city?", map[string]string{"city": "string"}, []string{"city"}})
				if err != nil {
					return city{}, err
				}
				name, _ := given.content["city"].(string)
				return city{name}, nil
			}, contract.Base{Effect: risk.ReadOnly}))
		p := newTraveller()
		raw, err := k.client(e, "alice", &p.person).Call(t.Context(), "find_city", nil)
		require.NoError(t, err)
		if e == modern {
			assert.Equal(t, contract.CodeInternalError, sdktest.Outcome(t, raw).Code, raw)
			assert.Empty(t, p.asked)
			return
		}
		assert.Equal(t, contract.StatusOK, sdktest.Outcome(t, raw).Status, raw)
		assert.Contains(t, raw, "Rome")
		assert.Equal(t, []string{"city"}, p.asked)
	})
}

// contract.Ask needs Asks, which only contract.New has.
func TestAddTool_AskInItsHandlerFailsAndTheLogHasTheRemedy(t *testing.T) {
	t.Parallel()
	eachEra(t, func(t *testing.T, s sdk, e era) {
		var logged bytes.Buffer
		k := newKitOf(t, s, s.Existing("cities", "", 0))
		k.guard, k.log = newGuard(t, s, guard.WithLogger(slog.New(slog.NewTextHandler(&logged, nil))))
		require.NoError(t, k.server.AddAsking(k.guard, "find_city",
			func(ctx context.Context, _ func(context.Context, form) (answer, error)) (city, error) {
				return contract.Ask[city](ctx, "Which city?")
			}, contract.Base{Effect: risk.ReadOnly}))
		p := newTraveller()
		raw, err := k.client(e, "alice", &p.person).Call(t.Context(), "find_city", nil)
		require.NoError(t, err)
		assert.Equal(t, contract.CodeInternalError, sdktest.Outcome(t, raw).Code, raw)
		require.Len(t, k.events(audit.Terminal), 1)
		assert.Empty(t, p.asked)
		assert.Contains(t, logged.String(), "Asks")
		assert.NotContains(t, logged.String(), "Failures")
	})
}
