//go:build unix

package outcomes_test

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// terms are what differs between the contracts of the tests. The zero terms
// declare no Reconcile, and the highest effect.
type terms struct {
	Name        string   // empty: the usual one
	Aliases     []string // of the tool
	Ask         asking
	Quiet       time.Duration
	Low         bool // the effect is a low-risk write
	Rerun       bool
	OtherErrors bool // undeclared errors are returned
	Timeout     time.Duration
	Budget      bool // equal calls may fail only as often as by default
}

// An asking is how a tool asks the provider about an earlier call.
type asking string

const (
	never  asking = ""
	void   asking = "void" // the provider refuses the key from then on
	look   asking = "look"
	unsure asking = "unsure" // it does not know
)

const (
	placeTool  = "orders.place"
	cancelTool = "orders.cancel"
)

type placeIn struct {
	Order string `json:"order"`
	Item  string `json:"item"`
}

type placeOut struct {
	Receipt string `json:"receipt"`
}

func (p *process) name() string {
	if p.Terms.Name != "" {
		return p.Terms.Name
	}
	return placeTool
}

// placing returns the tool that places an order.
func (p *process) placing() *contract.Builder[placeIn, placeOut] {
	i := contract.Idempotency{Mode: idempotency.Managed, KeyFields: []string{"order"}}
	if p.Terms.Rerun {
		i.OnUnknown = idempotency.Rerun
	}
	return p.builder(p.name()).Idempotency(i).Aliases(p.Terms.Aliases...)
}

// builder returns a tool that places an order, without its key.
func (p *process) builder(name string) *contract.Builder[placeIn, placeOut] {
	effect := risk.HighRiskWrite
	if p.Terms.Low {
		effect = risk.LowRiskWrite
	}
	timeout := 20 * time.Second
	if p.Terms.Timeout > 0 {
		timeout = p.Terms.Timeout
	}
	b := contract.New(name, p.place).Description("Places an order.").Version("1.0.0").Effect(effect).
		Trust(trust.Trusted).NoPermissions("The shop is open.").ConfirmNever("The order is a trial.").Timeout(timeout).
		RateLimit(1e6, time.Second)
	if p.Terms.OtherErrors {
		b.OtherErrors(contract.ClassFatal)
	}
	p.reconcile(b)
	return b
}

// place places an order. It goes on when its time is over, as many real
// handlers do.
func (p *process) place(ctx context.Context, in placeIn) (placeOut, error) {
	ctx = context.WithoutCancel(ctx)
	if p.asked.Load() {
		p.reach(inSecondRun)
	}
	p.reach(atHandler)
	key, _ := guard.IdempotencyKey(ctx)
	m := message{Order: in.Order, Item: in.Item, Key: key, PID: os.Getpid()}
	if _, err := send(ctx, p.Provider+"/gate", m); err != nil {
		return placeOut{}, err
	}
	answer, err := send(ctx, p.Provider+"/order", m)
	switch {
	case err != nil:
		return placeOut{}, err
	case answer.Voided:
		return placeOut{}, errors.New("the provider refuses the key")
	case answer.Fault == "panic":
		panic("the handler panics")
	case answer.Fault != "":
		return placeOut{}, errors.New("the provider failed")
	}
	return placeOut{answer.Receipt}, nil
}

type cancelIn struct {
	Order string `json:"order"`
}

type cancelOut struct {
	Cancelled bool `json:"cancelled"`
}

// cancelling returns the tool that undoes an order.
func (p *process) cancelling() *contract.Builder[cancelIn, cancelOut] {
	cancel := func(ctx context.Context, in cancelIn) (cancelOut, error) {
		_, err := send(ctx, p.Provider+"/undo", message{Order: in.Order})
		if err == nil {
			err = guard.Forget(ctx, p.name(), in)
		}
		return cancelOut{err == nil}, err
	}
	return contract.New(cancelTool, cancel).Description("Cancels an order.").Version("1.0.0").Effect(risk.LowRiskWrite).
		Trust(trust.Trusted).NoPermissions("The shop is open.").RateLimit(1e6, time.Second).
		Idempotency(contract.Idempotency{Mode: idempotency.Native})
}
