package guard_test

import (
	"context"
	"encoding/json"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/guard/people"
	"github.com/toolcontract/toolcontract/idempotency"
)

// A shared input has every kind of member that copies of a struct share.
type shared struct {
	Labels map[string]string `json:"labels"`
	Paths  []string          `json:"paths"`
	To     *string           `json:"to"`
	Raw    []byte            `json:"raw"`
}

// spoil writes into every part of an input.
func (s shared) spoil() {
	s.Labels["env"] = "production"
	s.Paths[0] = "/etc"
	*s.To = "mallory"
	for i := range s.Raw {
		s.Raw[i] = 'x'
	}
}

const sharedInput = `{"labels":{"env":"staging"},"paths":["/tmp"],"to":"alice","raw":"cmVk"}`

func (s shared) text(t *testing.T) string {
	t.Helper()
	raw, err := json.Marshal(s)
	require.NoError(t, err)
	return string(raw)
}

func TestThreat119_WritesIntoAnInputDoNotReachTheHandler(t *testing.T) {
	t.Parallel()
	var previews, policies, decisions, resolutions, ends atomic.Int64
	for name, keep := range map[string]bool{"kept by the handler": false, "changed by the handler": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var ran, replayed string
			tool := contract.New("files.move", func(_ context.Context, in shared) (payOutput, error) {
				ran = in.text(t)
				if keep {
					in.spoil()
				}
				return payOutput{}, nil
			}).From(writing()).
				Authorize(func(_ context.Context, _ contract.Principal, in shared) error {
					decisions.Add(1)
					in.spoil()
					return nil
				}).
				ConfirmWhen(func(in shared) bool { policies.Add(1); in.spoil(); return true }).
				Resolve(contract.Least{}, func(in shared) contract.Resolution {
					resolutions.Add(1)
					in.spoil()
					return contract.Resolution{}
				}).
				DryRun(dryrun.By(func(_ context.Context, in shared) (dryrun.Preview[payPreview], error) {
					previews.Add(1)
					in.spoil()
					return dryrun.Preview[payPreview]{}, nil
				})).
				Idempotency(contract.Idempotency{Mode: idempotency.Managed}).
				ReplayUntil(func(in shared, _ payOutput) time.Time {
					ends.Add(1)
					replayed = in.text(t)
					return time.Now().Add(time.Minute)
				}).MustBuild()
			policy := guard.WithAuthorizer(func(_ context.Context, a guard.Action) error {
				for i := range a.Arguments {
					a.Arguments[i] = 'x'
				}
				return nil
			})
			k := newKit(t, []*contract.Tool{tool}, policy)
			r, err := k.set.Call(as(t.Context(), alice), guard.Request{
				Tool: "files.move", Arguments: json.RawMessage(sharedInput),
				Client: guard.Client{
					Ask: func(context.Context, people.Question) (json.RawMessage, error) {
						return json.RawMessage(confirmed), nil
					},
				},
			})
			require.NoError(t, err)
			require.Equal(t, contract.StatusOK, r.Outcome.Status, r.Text)
			assert.JSONEq(t, sharedInput, ran)
			assert.JSONEq(t, sharedInput, replayed)
			for _, n := range []*atomic.Int64{&previews, &policies, &decisions, &resolutions, &ends} {
				assert.Positive(t, n.Load())
			}
		})
	}
}
