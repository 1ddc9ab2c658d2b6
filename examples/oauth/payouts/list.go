package payouts

import (
	"context"
	"slices"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// A ListInput holds the arguments of payouts.list.
type ListInput struct {
	Status status `json:"status,omitempty" jsonschema:"enum=waiting,enum=on_hold,enum=released" jsonschema_description:"Only those in this state; without it, all."`
}

// A ListOutput is the result of payouts.list.
type ListOutput struct {
	Payouts []Payout `json:"payouts"`
}

func (d *Desk) list(_ context.Context, in ListInput) (ListOutput, error) {
	payouts := d.all()
	if in.Status != "" {
		payouts = slices.DeleteFunc(payouts, func(p Payout) bool { return p.Status != in.Status })
	}
	return ListOutput{payouts}, nil
}

func (d *Desk) payoutsList() (*contract.Tool, error) {
	return contract.New("payouts.list", d.list).
		Title("List payouts").
		Description("Lists the payouts with payee, reference and amount.").
		Version("1.0.0").
		Category("payments").
		Effect(risk.ReadOnly).
		Trust(trust.Untrusted). // payees write the reference
		Permissions("payouts:read").
		Build()
}
