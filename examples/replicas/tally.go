package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/toolcontract/toolcontract/contract"
)

// A tally counts the outcomes of all calls, and the effects that the warehouse
// counted. Every call is in exactly one of Executions, Replays, InProgress,
// Unknown and Refused.
type tally struct {
	// Calls counts the calls, Keys the different orders in them.
	Calls int `json:"calls"`
	Keys  int `json:"keys"`
	// Executions counts the orders that the warehouse received.
	Executions int `json:"executions"`
	// Replays counts the calls that got the recorded result of another call.
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
	victim   effect
	byServer map[string]int
}

// addCall counts one call by its outcome.
func (t *tally) addCall(o contract.Outcome, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.Calls++
	switch {
	case err != nil:
		t.lost++
	case o.Status == contract.StatusOK:
		t.done++
	case o.Status == contract.StatusReplayed:
		t.Replays++
	case o.Code == contract.CodeKeyInProgress:
		t.InProgress++
	case o.Code == contract.CodeOutcomeUnknown:
		t.Unknown++
	default:
		t.Refused++
	}
}

// addEffects adds the effects that the warehouse counted.
func (t *tally) addEffects(effects []effect) {
	byOrder := map[string]int{}
	t.byServer = map[string]int{}
	for _, e := range effects {
		byOrder[e.Order]++
		t.byServer[e.Server]++
		t.MaxExecutionsPerKey = max(t.MaxExecutionsPerKey, byOrder[e.Order])
	}
	t.Executions = len(effects)
}

// check returns an error if an order was placed twice, or if the outcomes and
// the effects do not match.
func (t *tally) check() error {
	if t.MaxExecutionsPerKey > 1 {
		return fmt.Errorf("an order was placed %d times", t.MaxExecutionsPerKey)
	}
	if t.done+t.lost != t.Executions || t.Calls != t.Executions+t.Replays+t.InProgress+t.Unknown+t.Refused {
		return fmt.Errorf("the counts do not match: %d calls were answered with ok, %d were not answered, and there were %d executions",
			t.done, t.lost, t.Executions)
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
	line("%d calls of %s with %d orders, over three servers that share one Redis.", t.Calls, placeTool, t.Keys)
	line("Server %s was killed while it placed %s.", t.victim.Server, t.victim.Order)
	line("")
	row := func(n int, what, meaning string) { line("%8d  %-14s%s", n, what, meaning) }
	row(t.Executions, "executions", "shipped by the warehouse, including the killed call")
	row(t.Replays, "replays", "answered with the recorded result of another call")
	row(t.InProgress, "in progress", "to be retried, because the same order was being placed")
	row(t.Unknown, "unknown", "duplicates of the killed call, whose outcome is unknown")
	row(t.Refused, "refused", "other failures, such as an order number used for another order")
	line("%8d  %s", t.Calls, "calls")
	line("")
	names := make([]string, 0, len(t.byServer))
	for name := range t.byServer {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		line("%8d  executions by server %s", t.byServer[name], name)
	}
	line("%8d  maximum executions of one order", t.MaxExecutionsPerKey)
	return errors.Join(errs...)
}
