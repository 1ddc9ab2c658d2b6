package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"

	"github.com/toolcontract/toolcontract/contract"
)

// A tally counts the outcomes of all calls, and the orders that the warehouse
// placed. Every call is in exactly one of Executions, Replays, InProgress,
// Unknown and Refused.
type tally struct {
	// Calls counts the calls, Keys the different orders in them.
	Calls int `json:"calls"`
	Keys  int `json:"keys"`
	// Executions counts the orders that the warehouse placed.
	Executions int `json:"executions"`
	// Replays counts the calls that got the result of another call, recorded or
	// found at the warehouse.
	Replays int `json:"replays"`
	// InProgress counts the answers that the same call is running, Unknown the
	// answers that its outcome is unknown, and Refused all other failures.
	InProgress int `json:"inProgress"`
	Unknown    int `json:"unknown"`
	Refused    int `json:"refused"`
	// MaxExecutionsPerKey is the largest number of executions of one order.
	MaxExecutionsPerKey int `json:"maxExecutionsPerKey"`

	mu       sync.Mutex
	done     int // calls with status ok
	lost     int // calls without an answer
	told     map[string][]answer
	killed   map[string]moment // the orders whose server was killed
	once     int               // orders that were placed once
	late     int               // requests that arrived with a voided key
	untrue   int               // answers with a result that the warehouse doesn't have
	byServer map[string]int
}

// An answer is a success that a caller got.
type answer struct {
	status contract.Status
	placeOutput
}

func newTally(keys int) *tally {
	return &tally{Keys: keys, told: map[string][]answer{}, killed: map[string]moment{}, byServer: map[string]int{}}
}

// made returns the number of calls so far.
func (t *tally) made() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.Calls
}

// addCall counts one call by its outcome.
func (t *tally) addCall(order string, o contract.Outcome, out placeOutput, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.Calls++
	switch {
	case err != nil:
		t.lost++
		return
	case o.Code == contract.CodeKeyInProgress:
		t.InProgress++
		return
	case o.Code == contract.CodeOutcomeUnknown:
		t.Unknown++
		return
	case o.Code != "":
		t.Refused++
		return
	case o.Status == contract.StatusOK:
		t.done++
	default:
		t.Replays++
	}
	t.told[order] = append(t.told[order], answer{o.Status, out})
}

// addEffects adds the orders that the warehouse placed, and compares them with
// what the callers were told.
func (t *tally) addEffects(effects []effect) {
	byOrder := map[string][]placeOutput{}
	for _, e := range effects {
		byOrder[e.Order] = append(byOrder[e.Order], e.output())
		t.byServer[e.Server]++
		t.MaxExecutionsPerKey = max(t.MaxExecutionsPerKey, len(byOrder[e.Order]))
	}
	for _, outputs := range byOrder {
		if len(outputs) == 1 {
			t.once++
		}
	}
	for order, answers := range t.told {
		for _, a := range answers {
			if !slices.Contains(byOrder[order], a.placeOutput) {
				t.untrue++
			}
		}
	}
	t.Executions = len(effects)
	// A call without an answer placed its order, or it failed before that.
	t.Refused += max(0, t.done+t.lost-t.Executions)
}

// next is how the caller of a killed server learns what happened: a replay of
// the result, or a run of its own.
var next = [moments]contract.Status{sent: contract.StatusOK, placed: contract.StatusReplayed, answered: contract.StatusReplayed}

// check returns an error if an order was placed twice, if a caller was told
// something untrue or nothing, or if the outcomes and the effects do not match.
func (t *tally) check() error {
	switch {
	case t.MaxExecutionsPerKey > 1:
		return fmt.Errorf("an order was placed %d times", t.MaxExecutionsPerKey)
	case t.untrue > 0:
		return fmt.Errorf("%d answers have a receipt that the warehouse did not give for their order", t.untrue)
	case len(t.told) != t.Keys:
		return fmt.Errorf("callers of %d orders got a receipt, of %d orders", len(t.told), t.Keys)
	case t.done > t.Executions || t.Calls != t.Executions+t.Replays+t.InProgress+t.Unknown+t.Refused:
		return fmt.Errorf("the counts do not match: %d calls were answered with ok, %d were not answered, and there were %d executions",
			t.done, t.lost, t.Executions)
	}
	for order, at := range t.killed {
		// The answer that was lost can be that of a busy store, which refused the call.
		// The next one then runs.
		if first := t.told[order][0].status; first != next[at] && at != answered {
			return fmt.Errorf("the server of %s was killed, and its caller then got the status %s", order, first)
		}
	}
	return nil
}

func (t *tally) writeJSON(w io.Writer) error { return json.NewEncoder(w).Encode(t) }

// writeText writes the tally as a table of at most 100 columns.
func (t *tally) writeText(w io.Writer) error {
	var errs []error
	line := func(format string, args ...any) {
		_, err := fmt.Fprintf(w, format+"\n", args...)
		errs = append(errs, err)
	}
	kills := [moments]int{}
	for _, at := range t.killed {
		kills[at]++
	}
	line("%d calls for %d orders, at three servers with one store. %d times, kill -9 hit one in a call:",
		t.Calls, t.Keys, len(t.killed))
	line("%4d  before the order arrived    asked again: the key is void now, the order is placed anew", kills[sent])
	line("%4d  after the order was placed  asked again: not known yet, then found at the warehouse", kills[placed])
	line("%4d  after the answer was sent   asked again: the recorded answer", kills[answered])
	line("%d of %d orders were placed once. %d callers have the receipt. %d late requests were refused.",
		t.once, t.Keys, len(t.told), t.late)
	line("")
	row := func(n int, what, meaning string) { line("%8d  %-14s%s", n, what, meaning) }
	row(t.Executions, "executions", "orders that the warehouse placed")
	row(t.Replays, "replays", "answered with the result of another call, recorded or found")
	row(t.InProgress, "in progress", "to be repeated, because the same order was being placed")
	row(t.Unknown, "unknown", "to be repeated, because the warehouse could not tell yet")
	row(t.Refused, "refused", "other failures, such as an order number used for another order")
	line("%8d  %s", t.Calls, "calls")
	line("")
	for _, name := range slices.Sorted(maps.Keys(t.byServer)) {
		line("%8d  executions by server %s", t.byServer[name], name)
	}
	line("%8d  calls without an answer, because their server was killed", t.lost)
	line("%8d  maximum executions of one order", t.MaxExecutionsPerKey)
	return errors.Join(errs...)
}
