package counter

import (
	"reflect"
	"slices"
	"time"

	"github.com/toolcontract/toolcontract/examples/airline/desk"
)

// This file has what the desk's policy forbids and the desk does not check.

// allowance returns the free checked bags of a passenger: "If the booking user
// is a regular member, 0 free checked bag for each basic economy passenger, 1
// for each economy passenger, and 2 for each business passenger", and one more
// for silver, two more for gold, at most three in business.
func allowance(membership, cabin string) int {
	free := map[string]int{desk.BasicEconomy: 0, desk.Economy: 1, desk.Business: 2}[cabin]
	switch membership {
	case "silver":
		return free + 1
	case "gold":
		return min(free+2, 3)
	}
	return free
}

// paidBags returns how many of the bags cost something: "Each extra baggage is
// 50 dollars."
func paidBags(u *desk.User, cabin string, bags, passengers int) int {
	return max(0, bags-allowance(u.Membership, cabin)*passengers)
}

// paymentsFit reports whether "each reservation can use at most one travel
// certificate, at most one credit card, and at most three gift cards". Unknown
// methods are for the desk.
func paymentsFit(u *desk.User, payments []desk.Payment) bool {
	used := map[string]int{}
	for _, p := range payments {
		used[u.PaymentMethods[p.Method].Source]++
	}
	return used[desk.Certificate] <= 1 && used[desk.CreditCard] <= 1 && used[desk.GiftCard] <= 3
}

// changesFlights reports whether the flights differ from those of a reservation.
func changesFlights(r *desk.Reservation, legs []desk.Leg) bool {
	same := func(s desk.Segment, l desk.Leg) bool { return s.Number == l.Number && s.Date == l.Date }
	return !slices.EqualFunc(r.Flights, legs, same)
}

// keepsRoute reports whether flights are "without changing the origin,
// destination, and trip type".
func keepsRoute(r *desk.Reservation, flights []desk.Segment) bool {
	if len(flights) == 0 || flights[0].Origin != r.Origin {
		return false
	}
	for i := 1; i < len(flights); i++ {
		if flights[i].Origin != flights[i-1].Dest {
			return false
		}
	}
	end := flights[len(flights)-1].Dest
	if r.Type == "one_way" {
		return end == r.Dest
	}
	turns := func(s desk.Segment) bool { return s.Dest == r.Dest }
	return end == r.Origin && slices.ContainsFunc(flights, turns)
}

// hasFlown reports whether a segment of a reservation is used.
func hasFlown(d *desk.Desk, r *desk.Reservation) bool {
	return hasStatus(d, r, desk.Landed, desk.Flying)
}

// hasStatus reports whether a flight of a reservation has one of the states on
// its day.
func hasStatus(d *desk.Desk, r *desk.Reservation, states ...string) bool {
	return slices.ContainsFunc(r.Flights, func(s desk.Segment) bool {
		f, err := d.Flight(s.Number)
		return err == nil && slices.Contains(states, f.Dates[s.Date].Status)
	})
}

// isCancellable reports whether the policy lets a reservation be cancelled: "All
// reservations can be cancelled within 24 hours of booking, or if the airline
// cancelled the flight. Otherwise, basic economy or economy flights can be
// cancelled only if travel insurance is bought and the condition is met, and
// business flights can always be cancelled." The condition is the user's
// reason, which the arguments do not have.
func isCancellable(d *desk.Desk, r *desk.Reservation, now time.Time) bool {
	booked, err := time.Parse(Clock, r.Created)
	return err == nil && now.Sub(booked) <= 24*time.Hour || r.Cabin == desk.Business || r.Insurance == "yes" ||
		hasStatus(d, r, desk.Cancelled)
}

// isEntitled reports whether a reservation of the user entitles to an amount:
// "If the user is silver/gold member or has travel insurance or flies business",
// 100 dollars for each passenger of cancelled flights, and 50 for each of
// delayed ones once the reservation is changed or cancelled.
func isEntitled(d *desk.Desk, u *desk.User, amount int) bool {
	return slices.ContainsFunc(u.Reservations, func(id string) bool {
		r, err := d.Reservation(id)
		before := d.Before(id)
		if err != nil || u.Membership == "regular" && r.Insurance != "yes" && r.Cabin != desk.Business {
			return false
		}
		isChanged := !reflect.DeepEqual(r, before)
		n := len(r.Passengers)
		return amount == 100*n && hasStatus(d, &before, desk.Cancelled) ||
			amount == 50*n && isChanged && hasStatus(d, &before, desk.Delayed)
	})
}
