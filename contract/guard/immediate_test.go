package guard_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/guard"
	"github.com/toolcontract/toolcontract/internal/immediate"
)

// The time limit of a principal function shows that it has a goroutine of its
// own.
func TestPrincipal_OnlyImmediateFunctionsLoseTheirTimeLimit(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		mark func(guard.PrincipalFunc) guard.PrincipalFunc
		want []bool
	}{
		"a function of this library": {immediate.Func[guard.PrincipalFunc], []bool{true, true, false, false}},
		"any other function": {func(f guard.PrincipalFunc) guard.PrincipalFunc {
			return func(ctx context.Context) (guard.Principal, error) { return f(ctx) }
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
