package guard_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/risk"
)

// Arbitrary bytes as arguments cause no panic. A call that runs is checked
// again with encoding/json and with the rules written out here.
func FuzzCall_InvalidNeverRuns(f *testing.F) {
	for _, seed := range []string{
		validPay, `{"pay":{"amount":0}}`, `{"pay":{"amount":101}}`, `{"pay":{"amount":1,"AMOUNT":9}}`,
		`{"pay":{"amount":1,"amount":9}}`,
		`{}`, `null`, ``, `[]`, `"x"`, `{"pay":{"amount":1e2}}`, `{"pay":{"amount":1e-999999999}}`,
		`{"pay":{"amount":9007199254740993}}`,
		"{\"pay\":{\"amount\":1},\"note\":\"\xff\"}", `{"pay":{"amount":1},"note":"\ud800"}`, strings.Repeat(`{"pay":`, 1000),
	} {
		f.Add([]byte(seed))
	}
	var ran *payInput
	tool := contract.New("pay.now", func(_ context.Context, in payInput) (payOutput, error) {
		ran = &in
		return payOutput{in.Pay.Amount}, nil
	}).Description("Pays.").Version("1.0.0").Effect(risk.LowRiskWrite).Permissions("mail:send").MustBuild()
	g, err := guard.New(guard.WithPrincipal(guard.PrincipalFunc(fromContext)),
		guard.WithAudit(audit.Func(func(context.Context, audit.Event) error { return nil })), unlimited)
	if err != nil {
		f.Fatal(err)
	}
	set, err := g.Protect(tool)
	if err != nil {
		f.Fatal(err)
	}
	ctx := as(context.Background(), alice)
	f.Fuzz(func(t *testing.T, arguments []byte) {
		ran = nil
		r, err := set.Call(ctx, guard.Request{Tool: "pay.now", Arguments: arguments})
		if err != nil {
			t.Fatalf("the tool exists: %v", err)
		}
		if r.IsError == (ran != nil) {
			t.Fatalf("answered %q, ran %t", r.Outcome.Code, ran != nil)
		}
		if ran == nil {
			return
		}
		var loose map[string]any
		if err := json.Unmarshal(arguments, &loose); err != nil {
			t.Fatalf("a call with invalid JSON ran: %v", err)
		}
		pay, _ := loose["pay"].(map[string]any)
		if amount, ok := pay["amount"].(float64); !ok || amount != float64(ran.Pay.Amount) || ran.Pay.Amount < 1 ||
			ran.Pay.Amount > 100 || len(pay) != 1 {
			t.Fatal("the handler got arguments that break the schema or differ from the call")
		}
		for name := range loose {
			if name != "pay" && name != "note" {
				t.Fatal("an unknown member ran")
			}
		}
	})
}
