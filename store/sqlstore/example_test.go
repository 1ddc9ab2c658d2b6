package sqlstore_test

import (
	"context"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/store/sqlstore"
	"github.com/toolcontract/toolcontract/trust"
)

func ExampleTx() {
	type visit struct {
		Slot string `json:"slot"`
	}
	book := func(ctx context.Context, in visit) (visit, error) {
		tx, err := sqlstore.Tx(ctx)
		if err != nil {
			return visit{}, err
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO visits (slot) VALUES (?)`, in.Slot)
		return in, err
	}
	_ = contract.New("visits.book", book).
		Description("Books a visit.").Version("1.0.0").
		Effect(risk.LowRiskWrite).Trust(trust.Trusted).Permissions("visits:book").
		Idempotency(contract.Idempotency{Mode: idempotency.Managed, KeyFields: []string{"slot"}, Atomic: true}).
		MustBuild()
}
