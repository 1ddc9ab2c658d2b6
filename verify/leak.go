package verify

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contracttest/observe"
	"github.com/toolcontract/toolcontract/store"
	"github.com/toolcontract/toolcontract/verify/internal/state"
)

// protected returns the values of the protected fields in arguments.
func (v *verifier) protected(arguments json.RawMessage) []observe.Protected {
	return observe.ProtectedIn(v.doc.InputSchema, arguments)
}

// minCanary is the shortest value worth searching for: shorter ones turn up by
// chance.
const minCanary = 6

// A searchedValue is a protected value that can be searched for.
type searchedValue struct {
	observe.Protected
	text string
}

// searchedValues returns a case's protected values that are long enough and
// appear in no other argument.
func (v *verifier) searchedValues(arguments json.RawMessage) []searchedValue {
	var all []searchedValue
	for _, p := range v.protected(arguments) {
		text := fmt.Sprint(p.Value)
		if len(text) < minCanary || strings.Count(string(arguments), text) > 1 {
			continue
		}
		all = append(all, searchedValue{p, text})
	}
	return all
}

// leaks searches every place that a call writes to for protected values.
func (h *harness) leaks(c *attempt, events []audit.Event) []string {
	values := h.searchedValues(c.arguments)
	c.searchable = len(values)
	places := []struct{ name, text string }{
		{"the audit log", encodedJSON(events)}, {"the log of the guard", h.log.text()}, {"the store", h.store.String()},
	}
	for _, l := range h.config.logs {
		places = append(places, struct{ name, text string }{"the log of the handler", l.text()})
	}
	var found []string
	kept := h.snapshot()
	for _, value := range values {
		for _, path := range slices.Sorted(maps.Keys(kept)) {
			d := state.Difference{Path: path}
			if value.Secret && strings.Contains(kept[path], value.text) &&
				!h.isAllowed(func(a allowance) bool { return a.coversState(d) }, "state "+path) {
				found = append(found, fmt.Sprintf("the state has the value of %s at %s", value.Pointer, path))
			}
		}
		for _, place := range places {
			if strings.Contains(place.text, value.text) {
				found = append(found, fmt.Sprintf("%s has the value of %s", place.name, value.Pointer))
			}
		}
		for _, o := range []observedCall{c.preview, c.first, c.second} {
			if where := o.leak(h.doc.OutputSchema, value); where != "" {
				found = append(found, fmt.Sprintf("%s has the value of %s", where, value.Pointer))
				break
			}
		}
	}
	return found
}

// leak names the place in a call's result that contains a protected value, or
// returns "". A sensitive value may appear in a result, but only in a field
// that is tagged sensitive too.
func (o observedCall) leak(outputSchema json.RawMessage, value searchedValue) string {
	if o.result == nil {
		return ""
	}
	r := o.result
	if r.IsError {
		if strings.Contains(encodedJSON([]any{r.Text, r.Content, r.Outcome, r.Meta}), value.text) {
			return "the text of the error " + r.Outcome.Code
		}
		return ""
	}
	if !value.Secret && r.Structured != nil {
		all := strings.Count(string(r.Structured), value.text)
		for _, p := range observe.ProtectedIn(outputSchema, r.Structured) {
			if strings.Contains(fmt.Sprint(p.Value), value.text) {
				all--
			}
		}
		if all <= 0 {
			return ""
		}
		return "a field of the result that is not sensitive"
	}
	if strings.Contains(encodedJSON([]any{r.Text, r.Content, r.Structured, r.Meta}), value.text) {
		return "the result"
	}
	return ""
}

// A storeSpy passes operations on and records what the guard stores.
type storeSpy struct {
	store.Store

	mu   sync.Mutex
	text strings.Builder
}

func (s *storeSpy) record(v any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	parts := state.Of(v)
	for _, path := range slices.Sorted(maps.Keys(parts)) {
		s.text.WriteString(parts[path] + "\n")
	}
}

// String returns everything stored so far.
func (s *storeSpy) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

func (s *storeSpy) Claim(ctx context.Context, c store.Claim) (store.ClaimResult, error) {
	s.record(c)
	return s.Store.Claim(ctx, c)
}

// Complete records the result as it is stored.
func (s *storeSpy) Complete(ctx context.Context, c store.Completion) error {
	s.completed(c)
	return s.Store.Complete(ctx, c)
}

func (s *storeSpy) completed(c store.Completion) {
	s.record(c)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text.Write(c.Result)
}

func (s *storeSpy) Spend(ctx context.Context, n store.Nonce, by store.Owner) (bool, error) {
	s.record(n)
	return s.Store.Spend(ctx, n, by)
}

// A transactorSpy is a [storeSpy] for a store with transactions.
type transactorSpy struct {
	*storeSpy

	of store.Transactor
}

// Transaction returns a transaction that records the result as it is committed.
func (s transactorSpy) Transaction(key store.Key, owner store.Owner) store.Transaction {
	return transactionSpy{s.of.Transaction(key, owner), s.storeSpy}
}

type transactionSpy struct {
	store.Transaction

	spy *storeSpy
}

func (t transactionSpy) Commit(ctx context.Context, c store.Completion) error {
	t.spy.completed(c)
	return t.Transaction.Commit(ctx, c)
}
