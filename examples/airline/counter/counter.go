package counter

import (
	"errors"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/examples/airline/desk"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// A Counter offers the tools over one desk. It is safe for concurrent use.
type Counter struct {
	Desk *desk.Desk
	// Now returns the time at the desk.
	Now func() time.Time
}

// Clock is the layout of the desk's times, without a zone.
const Clock = "2006-01-02T15:04:05"

// Opening returns the time at which the recorded runs take place.
func Opening() time.Time { return time.Date(2024, 5, 15, 15, 0, 0, 0, time.UTC) }

// Tools returns the tools. The error names every mistake in their contracts.
func (c *Counter) Tools() ([]*contract.Tool, error) {
	return contract.BuildAll(
		c.userDetails(), c.reservationDetails(), c.searchDirect(), c.searchOneStop(), c.airports(), calculator(),
		c.transfer(), c.book(), c.cancel(), c.changeFlights(), c.changeBags(), c.changePassengers(), c.sendCertificate(),
	)
}

func defaults() contract.Base { return contract.Base{Version: "1.0.0", Category: "airline"} }

// read declares a tool that looks something up. Customers choose their names,
// so what is theirs is not trusted.
func read[In, Out any](
	name, title, description string, of trust.Level, handler contract.Handler[In, Out],
) *contract.Builder[In, Out] {
	return contract.New(name, handler).From(defaults()).FlatName().Title(title).Description(description).
		Effect(risk.ReadOnly).Trust(of).Permissions("desk:read").Failures(desk.ErrNotFound)
}

// write declares a tool that changes a reservation: the policy wants an explicit
// yes of the customer before each one. A call with the same keys, or without
// keys with the same arguments, is the same change.
func write[In, Out any](
	name, title, description string, handler contract.Handler[In, Out], keys ...string,
) *contract.Builder[In, Out] {
	return contract.New(name, handler).From(defaults()).FlatName().Title(title).Description(description).
		Effect(risk.HighRiskWrite).Trust(trust.Untrusted).Permissions("desk:write").ConfirmAlways().
		Idempotency(contract.Idempotency{Mode: idempotency.Managed, KeyFields: keys, ClientKey: len(keys) == 0})
}

// The failures of the policy.
var (
	ErrPayments  = contract.Retryable("too_many_payments", "A reservation takes a certificate, a credit card and three gift cards.")
	ErrBags      = contract.Retryable("bags_not_paid", "The paid bags are not those beyond the free allowance.")
	ErrFewerBags = contract.Fatal("bags_removed", "Checked bags can be added, not removed.")
	ErrBasic     = contract.Fatal("basic_economy", "Flights in basic economy cannot be changed. The cabin can.")
	ErrRoute     = contract.Retryable("route_changed", "A change keeps origin, destination and trip type.")
	ErrNoCancel  = contract.Fatal("not_cancellable", "The reservation does not meet a condition for cancelling it.")
	ErrNoClaim   = contract.Fatal("no_compensation", "No reservation of the user entitles to this amount.")
)

// ForHumans is the permission for what the policy leaves to human agents.
const ForHumans = "desk:human"

// errNeedsHuman refuses a call that only a human agent may make.
var errNeedsHuman = errors.New("the trip has begun: transfer_to_human_agents")
