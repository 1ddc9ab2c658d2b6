package guard_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
)

// atOnce is a source that answers at once.
type atOnce struct{ guard.PrincipalFunc }

func (atOnce) AnswersAtOnce() {}

// The time limit of a source of principals shows that it has a goroutine of its
// own.
func TestPrincipal_OnlyImmediateSourcesLoseTheirTimeLimit(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		mark func(guard.PrincipalFunc) guard.PrincipalSource
		want []bool
	}{
		"a source that answers at once": {func(f guard.PrincipalFunc) guard.PrincipalSource { return atOnce{f} }, []bool{true, true,
			false, false}},
		"any other source": {func(f guard.PrincipalFunc) guard.PrincipalSource {
			return guard.PrincipalFunc(func(ctx context.Context) (guard.Principal, error) { return atOnce{f}.Principal(ctx) })
		}, []bool{true, true, true, true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answers := []error{errors.New("not yet"), nil, errors.New("not any more"), nil}
			var limited []bool
			find := func(ctx context.Context) (guard.Principal, error) {
				_, has := ctx.Deadline()
				limited = append(limited, has)
				return alice, answers[len(limited)-1]
			}
			n := &counter{}
			k := newKit(t, []*contract.Tool{n.payer("pay.now").MustBuild()}, guard.WithPrincipal(tt.mark(find)))
			for _, err := range answers {
				r := k.call(alice, "pay.now", validPay)
				if err != nil {
					refused(t, r, contract.CodeUnauthenticated, contract.ClassFatal)
				} else {
					assert.False(t, r.IsError)
				}
			}
			assert.Equal(t, tt.want, limited)
		})
	}
}

func TestPrincipal_PanicOfAnImmediateSourceIsContainedOutsideACall(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]func(*testing.T, *kit, *contract.Tool){
		"list": func(t *testing.T, k *kit, _ *contract.Tool) {
			assert.Equal(t, map[string]bool{"time.read": true}, k.set.Visible(t.Context()))
		},
		"list of an adapter": func(t *testing.T, k *kit, tool *contract.Tool) {
			assert.False(t, k.set.Adapter().Sees(t.Context())(k.set.Adapter().Audience(tool.Document().Name)))
		},
		"adapter's principal": func(t *testing.T, k *kit, _ *contract.Tool) {
			_, err := k.set.Adapter().Principal(t.Context())
			require.ErrorIs(t, err, guard.ErrUnavailable)
		},
		"unknown tool": func(t *testing.T, k *kit, _ *contract.Tool) {
			_, err := k.set.Call(t.Context(), guard.Request{Tool: "no.tool"})
			require.ErrorIs(t, err, guard.ErrUnknownTool)
		},
		"effective contract": func(t *testing.T, k *kit, tool *contract.Tool) {
			_, err := k.guard.Effective(t.Context(), tool, json.RawMessage(validPay))
			require.ErrorIs(t, err, guard.ErrUnknownTool)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			calls := 0
			find := func(context.Context) (guard.Principal, error) {
				if calls++; calls > 1 {
					explode()
				}
				return alice, nil
			}
			log := &serverLog{}
			hidden := (&counter{}).payer("pay.now").MustBuild()
			k := newKit(t, []*contract.Tool{hidden, reader("time.read", func(context.Context) (string, error) {
				return "", nil
			}).MustBuild()},
				log.option(), guard.WithPrincipal(atOnce{find}))
			assert.False(t, k.call(alice, "time.read", "").IsError)
			test(t, k, hidden)
			assert.Len(t, log.lines(t), 1)
		})
	}
}
