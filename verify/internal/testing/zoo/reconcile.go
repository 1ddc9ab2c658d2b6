package zoo

import (
	"context"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/idempotency"
)

func reconciled() []Entry {
	return []Entry{
		{
			Name: "reconcile_finds_what_is_not_there", Rule: RuleReconcileUntrue,
			Lie:    "Reconcile answers that a note was ordered, and does not look.",
			Lying:  in(func(nb *notebook) Subject { return nb.ordered(nb.askNobody) }),
			Honest: in(func(nb *notebook) Subject { return nb.ordered(nb.askByKey) }),
		},
		{
			Name: "reconcile_misses_what_is_there", Rule: RuleReconcileUntrue,
			Lie:    "Reconcile looks for the order under another key, and answers that it did not happen.",
			Lying:  in(func(nb *notebook) Subject { return nb.ordered(nb.askByID) }),
			Honest: in(func(nb *notebook) Subject { return nb.ordered(nb.askByKey) }),
		},
	}
}

type askFunc = func(context.Context, idInput, time.Time) (contract.Reconciled[idOutput], error)

func (nb *notebook) ordered(ask askFunc) Subject {
	return nb.subject(writing("notes.order", "Orders a note.", nb.order).
		Idempotency(contract.Idempotency{Mode: idempotency.Managed, KeyFields: []string{"id"}}).
		Reconcile(ask, contract.Reconciling{Quiet: 20 * time.Second}),
		idInput{"m1"})
}

func (nb *notebook) order(ctx context.Context, _ idInput) (idOutput, error) {
	key, _ := guard.IdempotencyKey(ctx)
	return idOutput{nb.add(note{Anna.Tenant, "order " + key})}, nil
}

func (nb *notebook) askByKey(ctx context.Context, _ idInput, _ time.Time) (contract.Reconciled[idOutput], error) {
	key, _ := guard.IdempotencyKey(ctx)
	return nb.findOrder(key), nil
}

func (nb *notebook) askByID(_ context.Context, in idInput, _ time.Time) (contract.Reconciled[idOutput], error) {
	return nb.findOrder(in.ID), nil
}

func (*notebook) askNobody(context.Context, idInput, time.Time) (contract.Reconciled[idOutput], error) {
	return contract.Happened(idOutput{"n3"}), nil
}

func (nb *notebook) findOrder(key string) contract.Reconciled[idOutput] {
	nb.mu.Lock()
	defer nb.mu.Unlock()
	for id, n := range nb.notes {
		if n.Text == "order "+key {
			return contract.Happened(idOutput{id})
		}
	}
	return contract.DidNotHappen[idOutput]()
}
