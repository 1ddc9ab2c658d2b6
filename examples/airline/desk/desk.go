package desk

import (
	"maps"
	"slices"
	"strconv"
	"sync"

	"github.com/toolcontract/toolcontract/contract"
)

// The failures of the desk.
var (
	ErrNotFound    = contract.Fatal("not_found", "There is no such user, reservation or flight.")
	ErrNotBookable = contract.Retryable("flight_not_available", "A flight cannot be booked on its date.")
	ErrSeats       = contract.Retryable("not_enough_seats", "A flight has too few seats in the cabin.")
	ErrMethod      = contract.Retryable("unknown_payment_method", "A payment method is not in the profile of the user.")
	ErrBalance     = contract.Retryable("balance_too_low", "A gift card or certificate does not cover its amount.")
	ErrSum         = contract.Retryable("payments_differ", "The payments do not add up to the price.")
	ErrCertificate = contract.Retryable("certificate_for_change", "A certificate cannot pay for a change.")
	ErrPassengers  = contract.Fatal("passengers_differ", "The number of passengers cannot be changed, by anybody.")
)

// A Desk is one database that calls change. It is safe for concurrent use.
type Desk struct {
	data *Data

	mu           sync.Mutex
	reservations map[string]Reservation // changed since the start
	users        map[string]User
	booked, sent int
}

// New returns a desk whose database starts as data.
func New(data *Data) *Desk {
	return &Desk{data: data, reservations: map[string]Reservation{}, users: map[string]User{}}
}

// Reservation returns a reservation.
func (d *Desk) Reservation(id string) (Reservation, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.reservation(id)
}

func (d *Desk) reservation(id string) (Reservation, error) {
	return find(id, d.reservations, d.data.Reservations)
}

// Before returns a reservation as it was at the start. The zero value: it was
// not there.
func (d *Desk) Before(id string) Reservation { return d.data.Reservations[id] }

// User returns a user.
func (d *Desk) User(id string) (User, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.user(id)
}

func (d *Desk) user(id string) (User, error) { return find(id, d.users, d.data.Users) }

// Flight returns a flight.
func (d *Desk) Flight(number string) (Flight, error) { return find(number, d.data.Flights) }

// find returns what the first of the maps that has an id has under it.
func find[T any](id string, maps ...map[string]T) (found T, err error) {
	for _, m := range maps {
		if found, ok := m[id]; ok {
			return found, nil
		}
	}
	return found, ErrNotFound.Hint("get_user_details has the reservations of a user.")
}

// Airports returns the airports, sorted.
func (d *Desk) Airports() []string {
	all := map[string]bool{}
	for _, f := range d.data.Flights {
		all[f.Origin], all[f.Destination] = true, true
	}
	return slices.Sorted(maps.Keys(all))
}

// Direct returns the flights between two airports that can be booked on a day.
func (d *Desk) Direct(origin, destination, date string) []Flight {
	found := []Flight{}
	for _, number := range slices.Sorted(maps.Keys(d.data.Flights)) {
		f := d.data.Flights[number]
		if day := f.Dates[date]; f.Origin == origin && f.Destination == destination && day.Status == Available {
			f.Dates = map[string]Day{date: day}
			found = append(found, f)
		}
	}
	return found
}

// A Leg is a flight that is wanted on a day.
type Leg struct {
	Number string `json:"flight_number" jsonschema:"minLength=1,maxLength=10"`
	Date   string `json:"date" jsonschema:"format=date"`
}

// segments prices flights for a cabin. Those of kept are not checked and keep
// their price.
func (d *Desk) segments(legs []Leg, cabin string, passengers int, kept []Segment) (all []Segment, price int, err error) {
	for _, leg := range legs {
		f, err := d.Flight(leg.Number)
		if err != nil {
			return nil, 0, err
		}
		s := Segment{Origin: f.Origin, Dest: f.Destination, Number: leg.Number, Date: leg.Date}
		if i := slices.IndexFunc(kept, func(k Segment) bool { return k.Number == leg.Number && k.Date == leg.Date }); i >= 0 {
			s.Price = kept[i].Price
		} else {
			day := f.Dates[leg.Date]
			if day.Status != Available {
				return nil, 0, ErrNotBookable.At("/flights").Hint("The search tools list flights that can be booked.")
			}
			if day.Seats[cabin] < passengers {
				return nil, 0, ErrSeats.At("/flights").Hint("Choose another flight or cabin.")
			}
			s.Price = day.Prices[cabin]
		}
		all = append(all, s)
		price += s.Price * passengers
	}
	return all, price, nil
}

// charge takes an amount from a payment method of a user, or gives a negative
// one back.
func (u *User) charge(method string, amount float64) error {
	m, ok := u.PaymentMethods[method]
	if !ok {
		return ErrMethod.Hint("get_user_details has the payment methods.")
	}
	if m.Source != CreditCard && m.Amount < amount {
		return ErrBalance.Hint("Ask the user for another method, or to split the amount.")
	}
	u.PaymentMethods = maps.Clone(u.PaymentMethods)
	switch m.Source {
	case GiftCard:
		m.Amount -= amount
		u.PaymentMethods[method] = m
	case Certificate:
		delete(u.PaymentMethods, method) // what is left of it is lost
	}
	return nil
}

// A Booking is a reservation that is wanted.
type Booking struct {
	User       string      `json:"user_id" jsonschema:"minLength=1,maxLength=60"`
	Origin     string      `json:"origin" jsonschema:"minLength=3,maxLength=3"`
	Dest       string      `json:"destination" jsonschema:"minLength=3,maxLength=3"`
	Type       string      `json:"flight_type" jsonschema:"enum=one_way,enum=round_trip"`
	Cabin      string      `json:"cabin" jsonschema:"enum=basic_economy,enum=economy,enum=business" jsonschema_description:"The same for all flights."`
	Legs       []Leg       `json:"flights" jsonschema:"minItems=1,maxItems=10" jsonschema_description:"In the order of the trip."`
	Passengers []Passenger `json:"passengers" jsonschema:"minItems=1,maxItems=5" jsonschema_description:"Five at most. They fly the same flights."`
	Payments   []Payment   `json:"payment_methods" jsonschema:"minItems=1,maxItems=10" jsonschema_description:"Their sum is the price."`
	Bags       int         `json:"total_baggages" jsonschema:"minimum=0,maximum=50"`
	PaidBags   int         `json:"nonfree_baggages" jsonschema:"minimum=0,maximum=50" jsonschema_description:"Those beyond the free allowance."`
	Insurance  string      `json:"insurance" jsonschema:"enum=yes,enum=no"`
}

// Prices in dollars.
const (
	BagPrice       = 50
	InsurancePrice = 30 // for each passenger
)

// Price returns what a booking costs.
func (d *Desk) Price(b *Booking) (int, error) {
	_, price, err := d.segments(b.Legs, b.Cabin, len(b.Passengers), nil)
	if b.Insurance == "yes" {
		price += InsurancePrice * len(b.Passengers)
	}
	return price + BagPrice*b.PaidBags, err
}

// Book books a trip.
func (d *Desk) Book(b *Booking, now string) (Reservation, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	u, err := d.user(b.User)
	if err != nil {
		return Reservation{}, err
	}
	segments, _, err := d.segments(b.Legs, b.Cabin, len(b.Passengers), nil)
	if err != nil {
		return Reservation{}, err
	}
	price, _ := d.Price(b)
	paid := 0.0
	for _, p := range b.Payments {
		if err := u.charge(p.Method, p.Amount); err != nil {
			return Reservation{}, err
		}
		paid += p.Amount
	}
	if paid != float64(price) {
		return Reservation{}, ErrSum.Hint("A dry run has the price.")
	}
	d.booked++
	r := Reservation{
		ID: bookingID(d.booked), User: b.User, Origin: b.Origin, Dest: b.Dest, Type: b.Type, Cabin: b.Cabin, Flights: segments,
		Passengers: b.Passengers, Payments: b.Payments, Created: now, Bags: b.Bags, PaidBags: b.PaidBags, Insurance: b.Insurance,
	}
	u.Reservations = append(slices.Clip(u.Reservations), r.ID)
	d.reservations[r.ID], d.users[b.User] = r, u
	return r, nil
}

// bookingID returns the id of the n-th booking: HATHAT, HATHAU, HATHAV in the
// recorded runs.
func bookingID(n int) string {
	if last := 'S' + rune(n); last <= 'Z' {
		return "HATHA" + string(last)
	}
	return "HATHA" + strconv.Itoa(n)
}

// change stores a reservation as a function changes it.
func (d *Desk) change(id string, how func(*Reservation) error) (Reservation, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	r, err := d.reservation(id)
	if err == nil {
		err = how(&r)
	}
	if err == nil {
		d.reservations[id] = r
	}
	return r, err
}

// pay takes an amount for a change of a reservation, or gives a negative one
// back.
func (d *Desk) pay(r *Reservation, method string, amount float64) error {
	u, err := d.user(r.User)
	if err != nil {
		return err
	}
	if u.PaymentMethods[method].Source == Certificate {
		return ErrCertificate.At("/payment_id").Hint("Ask for a gift card or a credit card.")
	}
	if err := u.charge(method, amount); err != nil {
		return err
	}
	if amount != 0 {
		r.Payments = append(slices.Clip(r.Payments), Payment{method, amount})
	}
	d.users[r.User] = u
	return nil
}

// Fare returns what the flights of a reservation would cost more, in a cabin.
// Flights that stay in their cabin keep their price.
func (d *Desk) Fare(r *Reservation, cabin string, legs []Leg) (segments []Segment, more int, err error) {
	var kept []Segment
	if cabin == r.Cabin {
		kept = r.Flights
	}
	segments, price, err := d.segments(legs, cabin, len(r.Passengers), kept)
	for _, s := range r.Flights {
		price -= s.Price * len(r.Passengers)
	}
	return segments, price, err
}

// ChangeFlights changes the flights and the cabin of a reservation.
func (d *Desk) ChangeFlights(id, cabin string, legs []Leg, method string) (Reservation, error) {
	return d.change(id, func(r *Reservation) error {
		segments, more, err := d.Fare(r, cabin, legs)
		if err != nil {
			return err
		}
		r.Flights, r.Cabin = segments, cabin
		return d.pay(r, method, float64(more))
	})
}

// ChangeBags changes the bags of a reservation.
func (d *Desk) ChangeBags(id string, bags, paidBags int, method string) (Reservation, error) {
	return d.change(id, func(r *Reservation) error {
		more := BagPrice * max(0, paidBags-r.PaidBags)
		r.Bags, r.PaidBags = bags, paidBags
		return d.pay(r, method, float64(more))
	})
}

// ChangePassengers changes who flies.
func (d *Desk) ChangePassengers(id string, passengers []Passenger) (Reservation, error) {
	return d.change(id, func(r *Reservation) error {
		if len(passengers) != len(r.Passengers) {
			return ErrPassengers.At("/passengers").Hint("As many passengers as before.")
		}
		r.Passengers = passengers
		return nil
	})
}

// Cancel cancels a reservation and pays it back.
func (d *Desk) Cancel(id string) (Reservation, error) {
	return d.change(id, func(r *Reservation) error {
		r.Payments = slices.Clip(r.Payments)
		for _, p := range r.Payments {
			r.Payments = append(r.Payments, Payment{p.Method, -p.Amount})
		}
		r.Status = Cancelled
		return nil
	})
}

// Send gives a user a certificate.
func (d *Desk) Send(user string, amount int) (PaymentMethod, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	u, err := d.user(user)
	if err != nil {
		return PaymentMethod{}, err
	}
	d.sent++
	m := PaymentMethod{ID: "certificate_" + strconv.Itoa(3221321+d.sent), Source: Certificate, Amount: float64(amount)}
	methods := map[string]PaymentMethod{m.ID: m}
	maps.Copy(methods, u.PaymentMethods)
	u.PaymentMethods = methods
	d.users[user] = u
	return m, nil
}
