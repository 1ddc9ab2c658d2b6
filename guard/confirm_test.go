package guard_test

import (
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/contract"
)

func TestConfirm_AsksUnlessItsFunctionReturnsFalse(t *testing.T) {
	t.Parallel()
	for name, ask := range map[string]func(payInput) bool{
		"returns true":          func(payInput) bool { return true },
		"panics":                func(payInput) bool { panic("boom") },
		"ends its goroutine":    func(payInput) bool { runtime.Goexit(); return false },
		"does not return":       func(payInput) bool { time.Sleep(time.Minute); return false },
		"decides by the amount": func(in payInput) bool { return in.Pay.Amount >= 10 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				n := &counter{}
				k := newKit(t, []*contract.Tool{n.payer("pay.now").ConfirmWhen(ask).MustBuild()})
				refused(t, k.call(alice, "pay.now", validPay), contract.CodeConfirmationRequired, contract.ClassFatal)
				assert.Zero(t, n.runs.Load())
				time.Sleep(time.Minute) // lets the slow function end
			})
		})
	}
	n := &counter{}
	k := newKit(t, []*contract.Tool{n.payer("pay.now").ConfirmWhen(func(in payInput) bool { return in.Pay.Amount > 10 }).
		MustBuild()})
	assert.False(t, k.call(alice, "pay.now", validPay).IsError)
}
