package counter

import (
	"context"
	"fmt"
	"slices"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/examples/airline/desk"
	"github.com/toolcontract/toolcontract/risk"
)

// A Price is what a call costs, in dollars. It is negative if money comes back.
type Price struct {
	Price int `json:"price"`
}

func (c *Counter) book() contract.Buildable {
	return write("book_reservation", "Book", "Books a trip.", func(_ context.Context, in desk.Booking) (desk.Reservation, error) {
		return c.Desk.Book(&in, c.Now().Format(Clock))
	}).Precheck(func(_ context.Context, in desk.Booking) error {
		u, err := c.Desk.User(in.User)
		switch {
		case err != nil:
			return err
		case !paymentsFit(&u, in.Payments):
			return ErrPayments.At("/payment_methods").Hint("Pay the rest with other methods of the profile.")
		case in.PaidBags != paidBags(&u, in.Cabin, in.Bags, len(in.Passengers)):
			return ErrBags.At("/nonfree_baggages").Hint("Free bags depend on membership, cabin and passengers.")
		}
		return nil
	}).DryRun(dryrun.By(func(_ context.Context, in desk.Booking) (dryrun.Preview[Price], error) {
		price, err := c.Desk.Price(&in)
		return dryrun.Preview[Price]{Data: Price{price}}, err
	})).Failures(desk.ErrNotFound, desk.ErrNotBookable, desk.ErrSeats, desk.ErrMethod, desk.ErrBalance, desk.ErrSum).
		Failures(ErrPayments, ErrBags).
		Question(func(in desk.Booking) string { return fmt.Sprintf("Book %s to %s for %s", in.Origin, in.Dest, in.User) }).
		SideEffects(contract.SideEffect{
			Description: "The trip is booked and paid.", Reach: contract.Internal, Undo: contract.Irreversible,
			OnRepeat: "The same booking is returned.", Affects: "What the user pays, and seats.",
		})
}

func (c *Counter) cancel() contract.Buildable {
	return write("cancel_reservation", "Cancel", "Cancels a whole trip and pays it back.",
		func(_ context.Context, in ReservationInput) (desk.Reservation, error) {
			return c.Desk.Cancel(in.Reservation)
		}, "reservation_id").Authorize(func(_ context.Context, p contract.Principal, in ReservationInput) error {
		// "If any of the segments are already used, the agent cannot help and transfer is needed."
		r, err := c.Desk.Reservation(in.Reservation)
		if err == nil && hasFlown(c.Desk, &r) && !slices.Contains(p.Permissions, ForHumans) {
			return errNeedsHuman
		}
		return nil
	}).Precheck(func(_ context.Context, in ReservationInput) error {
		r, err := c.Desk.Reservation(in.Reservation)
		if err != nil {
			return err
		}
		if !isCancellable(c.Desk, &r, c.Now()) {
			return ErrNoCancel.Hint("Within 24 hours, business, insured, or cancelled by the airline.")
		}
		return nil
	}).Failures(desk.ErrNotFound, ErrNoCancel).
		Question(func(in ReservationInput) string { return "Cancel reservation " + in.Reservation }).
		SideEffects(contract.SideEffect{
			Description: "The trip is cancelled. The money goes back in 5 to 7 days.", Reach: contract.Internal,
			Undo: contract.Irreversible, OnRepeat: "Nothing more.",
		})
}

// A FlightsInput holds the arguments of update_reservation_flights.
type FlightsInput struct {
	ReservationInput

	Cabin   string     `json:"cabin" jsonschema:"enum=basic_economy,enum=economy,enum=business"`
	Flights []desk.Leg `json:"flights" jsonschema:"minItems=1,maxItems=10" jsonschema_description:"All flights, also those that stay."`
	Method  string     `json:"payment_id" jsonschema:"minLength=1,maxLength=60" jsonschema_description:"Gift card or credit card of the user."`
}

func (c *Counter) changeFlights() contract.Buildable {
	return write("update_reservation_flights", "Change flights or cabin", "Changes the flights or the cabin of a reservation.",
		func(_ context.Context, in FlightsInput) (desk.Reservation, error) {
			return c.Desk.ChangeFlights(in.Reservation, in.Cabin, in.Flights, in.Method)
		}).Precheck(func(_ context.Context, in FlightsInput) error {
		r, err := c.Desk.Reservation(in.Reservation)
		if err != nil {
			return err
		}
		if !changesFlights(&r, in.Flights) {
			return nil // "all reservations, including basic economy, can change cabin without changing the flights"
		}
		segments, _, err := c.Desk.Fare(&r, in.Cabin, in.Flights)
		switch {
		case r.Cabin == desk.BasicEconomy:
			return ErrBasic.At("/flights").Hint("Only the cabin of these flights can be changed.")
		case err != nil:
			return err
		case !keepsRoute(&r, segments):
			return ErrRoute.At("/flights").Hint("Another route is a new reservation.")
		}
		return nil
	}).DryRun(dryrun.By(func(_ context.Context, in FlightsInput) (dryrun.Preview[Price], error) {
		r, err := c.Desk.Reservation(in.Reservation)
		if err != nil {
			return dryrun.Preview[Price]{}, err
		}
		_, more, err := c.Desk.Fare(&r, in.Cabin, in.Flights)
		return dryrun.Preview[Price]{Data: Price{more}}, err
	})).Failures(desk.ErrNotFound, desk.ErrNotBookable, desk.ErrSeats, desk.ErrMethod, desk.ErrBalance, desk.ErrCertificate,
		ErrBasic, ErrRoute).
		Question(func(in FlightsInput) string { return "Change the flights of " + in.Reservation + " in " + in.Cabin }).
		SideEffects(changed("The difference is paid, or paid back."))
}

func changed(paid string) contract.SideEffect {
	return contract.SideEffect{
		Description: "The reservation is changed. " + paid, Reach: contract.Internal, Undo: contract.Reversible,
		OnRepeat: "Nothing more.",
	}
}

// A BagsInput holds the arguments of update_reservation_baggages.
type BagsInput struct {
	ReservationInput

	Bags     int    `json:"total_baggages" jsonschema:"minimum=0,maximum=50"`
	PaidBags int    `json:"nonfree_baggages" jsonschema:"minimum=0,maximum=50" jsonschema_description:"Those beyond the free allowance."`
	Method   string `json:"payment_id" jsonschema:"minLength=1,maxLength=60" jsonschema_description:"Gift card or credit card of the user."`
}

func (c *Counter) changeBags() contract.Buildable {
	return write("update_reservation_baggages", "Add bags", "Adds checked bags to a reservation.",
		func(_ context.Context, in BagsInput) (desk.Reservation, error) {
			return c.Desk.ChangeBags(in.Reservation, in.Bags, in.PaidBags, in.Method)
		}).Precheck(func(_ context.Context, in BagsInput) error {
		r, err := c.Desk.Reservation(in.Reservation)
		if err != nil {
			return err
		}
		u, err := c.Desk.User(r.User)
		switch {
		case err != nil:
			return err
		case in.Bags < r.Bags:
			return ErrFewerBags.At("/total_baggages").Hint("The reservation keeps its bags.")
		case in.PaidBags != max(r.PaidBags, paidBags(&u, r.Cabin, in.Bags, len(r.Passengers))):
			return ErrBags.At("/nonfree_baggages").Hint("Free bags depend on membership, cabin and passengers.")
		}
		return nil
	}).Failures(desk.ErrNotFound, desk.ErrMethod, desk.ErrBalance, desk.ErrCertificate, ErrFewerBags, ErrBags).
		// Without a paid bag no money moves.
		Resolve(contract.Least{Effect: risk.LowRiskWrite, Risk: risk.Medium}, func(in BagsInput) contract.Resolution {
			if in.PaidBags == 0 {
				return contract.Resolution{Effect: risk.LowRiskWrite, Risk: risk.Medium}
			}
			return contract.Resolution{}
		}).
		Question(func(in BagsInput) string { return fmt.Sprintf("Have %d bags in %s", in.Bags, in.Reservation) }).
		SideEffects(changed("50 dollars are paid for each paid bag."))
}

// A PassengersInput holds the arguments of update_reservation_passengers.
type PassengersInput struct {
	ReservationInput

	Passengers []desk.Passenger `json:"passengers" jsonschema:"minItems=1,maxItems=5" jsonschema_description:"As many as before."`
}

func (c *Counter) changePassengers() contract.Buildable {
	return write("update_reservation_passengers", "Change passengers", "Changes who flies. As many fly as before.",
		func(_ context.Context, in PassengersInput) (desk.Reservation, error) {
			return c.Desk.ChangePassengers(in.Reservation, in.Passengers)
		}).Failures(desk.ErrNotFound, desk.ErrPassengers).
		Question(func(in PassengersInput) string { return "Change the passengers of " + in.Reservation }).
		SideEffects(changed("Nothing is paid."))
}

// A CertificateInput holds the arguments of send_certificate.
type CertificateInput struct {
	UserInput

	Amount int `json:"amount" jsonschema:"minimum=1,maximum=10000" jsonschema_description:"In dollars."`
}

func (c *Counter) sendCertificate() contract.Buildable {
	return write("send_certificate", "Send certificate", "Gives a user a certificate, as compensation.",
		func(_ context.Context, in CertificateInput) (desk.PaymentMethod, error) {
			return c.Desk.Send(in.User, in.Amount)
		}).Precheck(func(_ context.Context, in CertificateInput) error {
		u, err := c.Desk.User(in.User)
		if err != nil {
			return err
		}
		if !isEntitled(c.Desk, &u, in.Amount) {
			return ErrNoClaim.At("/amount").Hint("100 dollars a passenger for cancelled flights, 50 for delayed ones after a change.")
		}
		return nil
	}).Failures(desk.ErrNotFound, ErrNoClaim).
		Question(func(in CertificateInput) string {
			return fmt.Sprintf("Give %s a certificate of %d dollars", in.User, in.Amount)
		}).
		SideEffects(contract.SideEffect{
			Description: "The user has a certificate.", Reach: contract.Internal, Undo: contract.Irreversible, OnRepeat: "Nothing more.",
		})
}
