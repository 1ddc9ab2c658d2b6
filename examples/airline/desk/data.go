package desk

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
)

// Data is a database as it is before any call. It is read-only.
type Data struct {
	Flights      map[string]Flight
	Reservations map[string]Reservation
	Users        map[string]User
}

// A Flight flies on some days.
type Flight struct {
	Number      string         `json:"flight_number"`
	Origin      string         `json:"origin"`
	Destination string         `json:"destination"`
	Departure   string         `json:"scheduled_departure_time_est"` // such as 06:00:00
	Arrival     string         `json:"scheduled_arrival_time_est"`   // +1 at its end: on the next day
	Dates       map[string]Day `json:"dates"`
}

// A Day is what a flight does on one day. Seats and prices, in dollars, are
// there if it can be booked.
type Day struct {
	Status string         `json:"status"`
	Seats  map[string]int `json:"available_seats"`
	Prices map[string]int `json:"prices"`
}

// The states of a flight on a day that this package tells apart.
const (
	Available = "available"
	Landed    = "landed"
	Flying    = "flying"
	Delayed   = "delayed"
	Cancelled = "cancelled" // of a reservation, too
)

// A User is a customer of the airline.
type User struct {
	Name           Name                     `json:"name"`
	Address        map[string]string        `json:"address"`
	Email          string                   `json:"email"`
	DOB            string                   `json:"dob"`
	PaymentMethods map[string]PaymentMethod `json:"payment_methods"`
	Saved          []Passenger              `json:"saved_passengers"`
	Membership     string                   `json:"membership"` // regular, silver or gold
	Reservations   []string                 `json:"reservations"`
}

// A Name is a person's.
type Name struct {
	First string `json:"first_name"`
	Last  string `json:"last_name"`
}

// A PaymentMethod is a credit card, a gift card or a certificate. The latter
// two have an amount, in dollars.
type PaymentMethod struct {
	ID       string  `json:"id"`
	Source   string  `json:"source"`
	Amount   float64 `json:"amount,omitempty"`
	Brand    string  `json:"brand,omitempty"`
	LastFour string  `json:"last_four,omitempty"`
}

// The sources of payment.
const (
	CreditCard  = "credit_card"
	GiftCard    = "gift_card"
	Certificate = "certificate"
)

// A Passenger flies.
type Passenger struct {
	First string `json:"first_name" jsonschema:"minLength=1,maxLength=100"`
	Last  string `json:"last_name" jsonschema:"minLength=1,maxLength=100"`
	DOB   string `json:"dob" jsonschema:"format=date" jsonschema_description:"Date of birth."`
}

// A Reservation is a booked trip.
type Reservation struct {
	ID         string      `json:"reservation_id"`
	User       string      `json:"user_id"`
	Origin     string      `json:"origin"`
	Dest       string      `json:"destination"`
	Type       string      `json:"flight_type"` // one_way or round_trip
	Cabin      string      `json:"cabin"`
	Flights    []Segment   `json:"flights"`
	Passengers []Passenger `json:"passengers"`
	Payments   []Payment   `json:"payment_history"`
	Created    string      `json:"created_at"`
	Bags       int         `json:"total_baggages"`
	PaidBags   int         `json:"nonfree_baggages"`
	Insurance  string      `json:"insurance"` // yes or no
	Status     string      `json:"status,omitempty"`
}

// The cabins.
const (
	BasicEconomy = "basic_economy"
	Economy      = "economy"
	Business     = "business"
)

// A Segment is one flight of a reservation, with its price for a passenger.
type Segment struct {
	Origin string `json:"origin"`
	Dest   string `json:"destination"`
	Number string `json:"flight_number"`
	Date   string `json:"date"`
	Price  int    `json:"price"`
}

// A Payment is an amount in dollars. A refund is negative.
type Payment struct {
	Method string  `json:"payment_id"`
	Amount float64 `json:"amount"`
}

// ErrNoData means that a folder has no database.
var ErrNoData = errors.New("the desk has no data: -data names a folder with flights.json, reservations.json and users.json, " +
	"each may end in .gz. " +
	"They are part of the benchmark tau-bench, in tau_bench/envs/airline/data of github.com/sierra-research/tau-bench " +
	"(MIT licence, 5 MB; the recorded runs in historical_trajectories are another 4 MB)")

// Load reads a database from a folder, or from a checkout of the benchmark.
func Load(folder string) (*Data, error) {
	nested := filepath.Join(folder, "tau_bench", "envs", "airline", "data")
	if _, err := os.Stat(nested); err == nil {
		folder = nested
	}
	d := &Data{}
	files := map[string]any{"flights": &d.Flights, "reservations": &d.Reservations, "users": &d.Users}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		path := filepath.Join(folder, name+".json")
		var text json.RawMessage
		err := Read(path, &text)
		if folder == "" || errors.Is(err, fs.ErrNotExist) {
			return nil, ErrNoData
		}
		if err == nil {
			err = Read(path, files[name])
		}
		if err == nil && (hasNull(text) || reflect.ValueOf(files[name]).Elem().Len() == 0) {
			err = fmt.Errorf("%s: it has null, or no %s", path, name)
		}
		if err != nil {
			return nil, err
		}
	}
	return d, nil
}

// hasNull reports whether JSON has a null anywhere.
func hasNull(text []byte) bool {
	for tokens := json.NewDecoder(bytes.NewReader(text)); ; {
		if token, err := tokens.Token(); token == nil {
			return err == nil
		}
	}
}

// Read reads a JSON file, or else the compressed one beside it.
func Read(path string, into any) error {
	text, err := os.ReadFile(path) //nolint:gosec // the user names the folder
	var from io.Reader = bytes.NewReader(text)
	if errors.Is(err, fs.ErrNotExist) {
		text, err = os.ReadFile(path + ".gz") //nolint:gosec // the same
		if err == nil {
			from, err = gzip.NewReader(bytes.NewReader(text))
		}
	}
	if err == nil {
		text, err = io.ReadAll(from)
	}
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
