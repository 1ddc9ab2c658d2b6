package payouts

import (
	"context"
	"slices"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// The step-up that payouts.release requires.
const (
	MaxAge = 5 * time.Minute
	ACR    = "mfa"
)

// A ReleaseInput holds the arguments of payouts.release.
type ReleaseInput struct {
	PayoutID string `json:"payoutId" jsonschema:"pattern=^po_[0-9]+$,maxLength=20" jsonschema_description:"Such as po_1001, from payouts.list."`
}

// A ReleaseOutput is the result of payouts.release.
type ReleaseOutput struct {
	PayoutID    string    `json:"payoutId"`
	AmountMinor int64     `json:"amountMinor" jsonschema_description:"In cents."`
	Currency    string    `json:"currency"`
	ReleasedAt  time.Time `json:"releasedAt"`
}

// The failures of a release. A payout that is on hold or exceeds the balance
// can be released later. Its failures are retryable, because fatal ones would
// still be replayed then.
var (
	ErrUnknownPayout     = contract.Retryable("unknown_payout", "There is no such payout.")
	ErrOnHold            = contract.Retryable("payout_on_hold", "The payout is on hold.")
	ErrInsufficientFunds = contract.Retryable("insufficient_funds", "The payout is more than there is in the account.")
	ErrReleased          = contract.Fatal("payout_released", "The payout had been released before, by another call.")
)

func (d *Desk) release(_ context.Context, in ReleaseInput) (ReleaseOutput, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	i := slices.IndexFunc(d.payouts, func(p Payout) bool { return p.PayoutID == in.PayoutID })
	if i < 0 {
		return ReleaseOutput{}, ErrUnknownPayout.Errorf("there is no payout with this id").At("/payoutId").
			Hint("Look the id up with payouts.list.")
	}
	payout := &d.payouts[i]
	switch {
	case payout.Status == released:
		return ReleaseOutput{}, ErrReleased
	case payout.Status == onHold:
		return ReleaseOutput{}, ErrOnHold.Errorf("the hold must be lifted first").
			Hint("Inform the user, and repeat the call only when the user asks for it.")
	case payout.AmountMinor > d.balance:
		return ReleaseOutput{}, ErrInsufficientFunds.Errorf("the balance is lower than the amount").
			Hint("Inform the user; account.read has the balance.")
	}
	d.balance -= payout.AmountMinor
	payout.Status = released
	return ReleaseOutput{
		PayoutID: payout.PayoutID, AmountMinor: payout.AmountMinor, Currency: payout.Currency, ReleasedAt: d.clock().UTC(),
	}, nil
}

func (d *Desk) payoutsRelease() (*contract.Tool, error) {
	return contract.New("payouts.release", d.release).
		Title("Release payout").
		Description("Sends one payout that waits: its amount leaves the account.").
		Version("1.0.0").
		Category("payments").
		Effect(risk.HighRiskWrite).
		SecurityLevel(8).
		Trust(trust.Trusted). // this system makes the id, the amount and the time
		Permissions("payouts:release").
		ConfirmNever("Each release takes an authentication of the user's own, with a second factor and not older than "+
			"five minutes; a question beside it would be answered without being read.").
		StepUp(contract.StepUp{When: "Every release.", MaxAge: MaxAge, ACR: ACR}).
		SideEffects(contract.SideEffect{
			Description: "The amount of the payout leaves the account for the payee.",
			Reach:       contract.External,
			Undo:        contract.Irreversible,
			OnRepeat:    "None: a payout is released once.",
			Affects:     "The account and the payee.",
		}).
		Failures(ErrUnknownPayout, ErrOnHold, ErrInsufficientFunds, ErrReleased).
		Idempotency(contract.Idempotency{Mode: idempotency.Managed, KeyFields: []string{"payoutId"}}).
		AuditEvent("payout.released").
		Build()
}
