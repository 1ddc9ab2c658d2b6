//go:build unix

package outcomes_test

import (
	"context"
	"errors"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/idempotency"
)

// options are what only this version of the library has.
func (p *process) options() []guard.Option { return []guard.Option{guard.WithOperations()} }

// Tools that place orders in another way than [placeTool].
const (
	keyedTool     = "orders.place_keyed"     // the client's key is that of the call
	previewedTool = "orders.place_previewed" // the call needs a preview
)

// others returns the tools that only this version of the library has.
func (p *process) others() (all []*contract.Tool, err error) {
	keyed := p.builder(keyedTool).Idempotency(contract.Idempotency{Mode: idempotency.Managed, KeyRequired: true})
	previewed := p.builder(previewedTool).Idempotency(contract.Idempotency{Mode: idempotency.Managed, KeyFields: []string{"order"}}).
		DryRun(dryrun.By(func(context.Context, placeIn) (dryrun.Preview[struct{}], error) {
			return dryrun.Preview[struct{}]{}, nil
		}).Required())
	for _, b := range []*contract.Builder[placeIn, placeOut]{keyed, previewed} {
		tool, built := b.Build()
		all, err = append(all, tool), errors.Join(err, built)
	}
	return all, err
}

// reconcile declares how the provider is asked.
func (p *process) reconcile(b *contract.Builder[placeIn, placeOut]) {
	if p.Terms.Ask == never {
		return
	}
	b.Reconcile(p.ask, contract.Reconciling{Quiet: p.Terms.Quiet})
}

func (p *process) ask(ctx context.Context, in placeIn, since time.Time) (contract.Reconciled[placeOut], error) {
	p.reach(beforeAsking)
	key, _ := guard.IdempotencyKey(ctx)
	answer, err := send(ctx, p.Provider+"/ask", message{
		Order: in.Order, Item: in.Item, Key: key, Void: p.Terms.Ask == void, Since: since,
	})
	p.asked.Store(true)
	p.reach(afterAsking)
	switch {
	case err != nil || p.Terms.Ask == unsure:
		return contract.NotKnown[placeOut](0), err
	case answer.Receipt != "":
		return contract.Happened(placeOut{answer.Receipt}), nil
	case answer.Voided:
		return contract.CannotHappen[placeOut](), nil
	}
	return contract.DidNotHappen[placeOut](), nil
}
