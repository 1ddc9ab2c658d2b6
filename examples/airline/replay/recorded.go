package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"

	"github.com/toolcontract/toolcontract/examples/airline/counter"
	"github.com/toolcontract/toolcontract/examples/airline/desk"
)

// A run is a recorded conversation between a customer and an agent.
type run struct {
	Task   int     `json:"task_id"`
	Trial  int     `json:"trial"`
	Reward float64 `json:"reward"` // 1: the benchmark says that it succeeded
	Info   struct {
		Task struct {
			Actions []action `json:"actions"`
		} `json:"task"`
	} `json:"info"`
	Messages []message `json:"traj"`
}

// failed reports whether the benchmark says that the run failed.
func (r *run) failed() bool { return r.Reward != 1 }

// An action is a call that the benchmark wants.
type action struct {
	Name      string         `json:"name"`
	Arguments map[string]any `json:"kwargs"`
}

// A message is one turn of a conversation.
type message struct {
	Role    string `json:"role"` // system, user, assistant or tool
	Content string `json:"content"`
	Calls   []struct {
		Function struct {
			Name      string `json:"name"`
			Arguments string `json:"arguments"` // a JSON text
		} `json:"function"`
	} `json:"tool_calls"`
}

// isBroken reports whether a message has no role or a call without a name.
func (m message) isBroken() bool {
	for _, c := range m.Calls {
		if c.Function.Name == "" {
			return true
		}
	}
	return m.Role == ""
}

// recorded reads the runs of some tasks from a folder or a checkout of the
// benchmark.
func recorded(folder string, first, last int) ([]run, error) {
	var runs []run
	path := filepath.Join(folder, "trajectories.json")
	err := desk.Read(path, &runs)
	if errors.Is(err, fs.ErrNotExist) {
		path = filepath.Join(folder, "historical_trajectories", "gpt-4o-airline.json")
		if err = desk.Read(path, &runs); errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%s has no recorded runs: trajectories.json, trajectories.json.gz or %w", folder, err)
		}
	}
	if err == nil && len(runs) == 0 {
		err = fmt.Errorf("%s: it has no runs", path)
	}
	for i, r := range runs {
		if r.Info.Task.Actions == nil || len(r.Messages) == 0 || slices.ContainsFunc(r.Messages, message.isBroken) {
			return nil, fmt.Errorf("%s: task %d, trial %d (#/%d): info.task.actions, traj, or a role or function in it is missing",
				path, r.Task, r.Trial, i)
		}
	}
	return slices.DeleteFunc(runs, func(r run) bool { return r.Task < first || r.Task > last }), err
}

// agrees is the rule by which a customer's last message before a call says yes.
var agrees = regexp.MustCompile(`(?i)\b(yes|confirm(ed)?|proceed|go ahead|sure|ok(ay)?|please do)\b`)

// takeGold reports whether a call equals one of the wanted actions, which it
// then removes.
func takeGold(gold *[]action, name string, arguments []byte) bool {
	var given map[string]any
	if json.Unmarshal(arguments, &given) != nil {
		return false
	}
	for i, a := range *gold {
		if a.Name == name && reflect.DeepEqual(a.Arguments, given) {
			*gold = append((*gold)[:i:i], (*gold)[i+1:]...)
			return true
		}
	}
	return false
}

// difference returns how a wrong call differs from the closest wanted call of
// the same tool: "tool" if there is none, "flights" if its flights or airports
// differ (and perhaps more), "payment" or "bags" if only those differ, "more"
// otherwise, and "twice" if it repeats a call that was wanted once.
func difference(wanted []action, name string, arguments []byte) string {
	var given map[string]any
	if json.Unmarshal(arguments, &given) != nil {
		return "more"
	}
	var nearest []string
	kind := "tool"
	for _, a := range wanted {
		if a.Name != name {
			continue
		}
		all := maps.Clone(given)
		maps.Copy(all, a.Arguments)
		var differs []string
		for member := range all {
			if !reflect.DeepEqual(a.Arguments[member], given[member]) {
				differs = append(differs, member)
			}
		}
		if kind == "tool" || len(differs) < len(nearest) {
			nearest = differs
			kind = kindOf(differs)
		}
	}
	return kind
}

// kinds groups the arguments that belong together.
var kinds = map[string]string{
	"origin": "flights", "destination": "flights", "flights": "flights",
	"payment_id": "payment", "payment_methods": "payment",
	"total_baggages": "bags", "nonfree_baggages": "bags",
}

func kindOf(differs []string) string {
	if len(differs) == 0 {
		return "twice"
	}
	kind := kinds[differs[0]]
	for _, member := range differs {
		if kinds[member] == "flights" {
			return "flights"
		}
		if kinds[member] != kind {
			kind = ""
		}
	}
	return cmp.Or(kind, "more")
}

// writes has the desk's own tools that change something, without a contract.
var writes = map[string]func(*desk.Desk, []byte) error{
	"book_reservation": applied(func(d *desk.Desk, in desk.Booking) error {
		_, err := d.Book(&in, counter.Opening().Format(counter.Clock))
		return err
	}),
	"cancel_reservation": applied(func(d *desk.Desk, in counter.ReservationInput) error {
		_, err := d.Cancel(in.Reservation)
		return err
	}),
	"update_reservation_flights": applied(func(d *desk.Desk, in counter.FlightsInput) error {
		_, err := d.ChangeFlights(in.Reservation, in.Cabin, in.Flights, in.Method)
		return err
	}),
	"update_reservation_baggages": applied(func(d *desk.Desk, in counter.BagsInput) error {
		_, err := d.ChangeBags(in.Reservation, in.Bags, in.PaidBags, in.Method)
		return err
	}),
	"update_reservation_passengers": applied(func(d *desk.Desk, in counter.PassengersInput) error {
		_, err := d.ChangePassengers(in.Reservation, in.Passengers)
		return err
	}),
	"send_certificate": applied(func(d *desk.Desk, in counter.CertificateInput) error {
		_, err := d.Send(in.User, in.Amount)
		return err
	}),
}

func applied[In any](do func(*desk.Desk, In) error) func(*desk.Desk, []byte) error {
	return func(d *desk.Desk, arguments []byte) error {
		var in In
		if err := json.NewDecoder(bytes.NewReader(arguments)).Decode(&in); err != nil {
			return fmt.Errorf("arguments: %w", err)
		}
		return do(d, in)
	}
}
