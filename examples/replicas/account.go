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

// An account is what became of all calls: of what the callers were told, and of
// what the warehouse counted. Every call is in exactly one of Executions,
// Replays, InProgress, Unknown and Refused.
type account struct {
	// Calls is how many calls were made, Keys with how many orders.
	Calls int `json:"calls"`
	Keys  int `json:"keys"`
	// Executions is how often the warehouse was told to ship.
	Executions int `json:"executions"`
	// Replays is how many calls got the recorded result of another.
	Replays int `json:"replays"`
	// InProgress, Unknown and Refused are how many were told that the same call
	// is running, that nobody knows how it ended, and anything else.
	InProgress int `json:"inProgress"`
	Unknown    int `json:"unknown"`
	Refused    int `json:"refused"`
	// MaxExecutionsPerKey is how often the order that was placed most was.
	MaxExecutionsPerKey int `json:"maxExecutionsPerKey"`

	mu       sync.Mutex
	done     int // calls that were told that they ran
	lost     int // calls that nobody answered
	victim   effect
	byServer map[string]int
}

// enter counts one call by its outcome.
func (a *account) enter(o contract.Outcome, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.Calls++
	switch {
	case err != nil:
		a.lost++
	case o.Status == contract.StatusOK:
		a.done++
	case o.Status == contract.StatusReplayed:
		a.Replays++
	case o.Code == contract.CodeKeyInProgress:
		a.InProgress++
	case o.Code == contract.CodeOutcomeUnknown:
		a.Unknown++
	default:
		a.Refused++
	}
}

// settle adds what the warehouse counted.
func (a *account) settle(effects []effect) {
	byOrder := map[string]int{}
	a.byServer = map[string]int{}
	for _, e := range effects {
		byOrder[e.Order]++
		a.byServer[e.Server]++
		a.MaxExecutionsPerKey = max(a.MaxExecutionsPerKey, byOrder[e.Order])
	}
	a.Executions = len(effects)
}

// check returns an error where an order was placed twice, or a call is not
// accounted for.
func (a *account) check() error {
	if a.MaxExecutionsPerKey > 1 {
		return fmt.Errorf("an order was placed %d times", a.MaxExecutionsPerKey)
	}
	if a.done+a.lost != a.Executions || a.Calls != a.Executions+a.Replays+a.InProgress+a.Unknown+a.Refused {
		return fmt.Errorf("the account is not even: %d calls were told that they ran, %d were not answered, and there were %d executions",
			a.done, a.lost, a.Executions)
	}
	return nil
}

func (a *account) writeJSON(w io.Writer) error { return json.NewEncoder(w).Encode(a) }

// writeText writes the account as a table of at most 100 columns.
func (a *account) writeText(w io.Writer) error {
	var errs []error
	line := func(format string, args ...any) {
		_, err := fmt.Fprintf(w, format+"\n", args...)
		errs = append(errs, err)
	}
	line("%d calls of %s with %d orders, over three servers that share one Redis.", a.Calls, placeTool, a.Keys)
	line("Server %s was killed while it placed %s.", a.victim.Server, a.victim.Order)
	line("")
	row := func(n int, what, meaning string) { line("%8d  %-14s%s", n, what, meaning) }
	row(a.Executions, "executions", "shipped by the warehouse, the killed call among them")
	row(a.Replays, "replays", "answered with the recorded result, whichever server had it")
	row(a.InProgress, "in progress", "told to come back, for the same order was being placed")
	row(a.Unknown, "unknown", "told that nobody knows how the killed call ended")
	row(a.Refused, "refused", "an order number used again for another order, and the like")
	line("%8d  %s", a.Calls, "calls")
	line("")
	names := make([]string, 0, len(a.byServer))
	for name := range a.byServer {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		line("%8d  executions by server %s", a.byServer[name], name)
	}
	line("%8d  execution at most for one order", a.MaxExecutionsPerKey)
	return errors.Join(errs...)
}
