package guard

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/guard/internal/content"
	"github.com/toolcontract/toolcontract/contract/internal/bound"
	"github.com/toolcontract/toolcontract/contract/store"
	"github.com/toolcontract/toolcontract/internal/strictjson"
	"github.com/toolcontract/toolcontract/trust"
)

// storedFormat is the version of what is stored. A reader of another version
// answers already_done.
const storedFormat = 1

// A storedResult is a result as it left, in the form in which it is sealed and
// stored.
type storedResult struct {
	Format     int
	Text       string
	Content    []content.Stored
	Structured []byte
	IsError    bool
	Outcome    contract.Outcome
	Trust      trust.Level // by which it was sanitised and delimited
	Meta       map[string]any
}

var errStored = errors.New("the stored result is not one of this contract")

// seal makes of a result what the store keeps. It can be read only under the
// guard's keys, and only as the outcome of this very call. Nil: it cannot be
// kept, and repetitions answer already_done.
func (c *call) seal(r *Result) []byte {
	s := storedResult{Format: storedFormat, Text: r.Text, Structured: r.Structured, IsError: r.IsError, Outcome: r.Outcome, Trust: c.entry.doc.ContentTrust, Meta: r.Meta}
	for _, item := range r.Content {
		s.Content = append(s.Content, content.Store(item))
	}
	raw, err := json.Marshal(s) // nil stays nil, which strictjson does not know
	if err != nil {
		return nil
	}
	return c.set.guard.ledger.results.Seal(raw, c.sealedFor())
}

// sealedFor binds a stored result to the call that it is the outcome of.
func (c *call) sealedFor() []byte { return append(c.key.ID[:], c.fingerprint[:]...) }

// replayed gives the recorded outcome of an earlier call. One that was not kept,
// or that the contract of today does not allow, is not given.
func (c *call) replayed(a store.ClaimResult) *Result {
	r, err := c.stored(a)
	if err != nil {
		c.cause = err
		return c.refuse(contract.CodeAlreadyDone, "")
	}
	return r
}

func (c *call) stored(a store.ClaimResult) (*Result, error) {
	if a.Result == nil {
		return nil, errors.New("the result was not kept")
	}
	raw, err := c.set.guard.ledger.results.Open(a.Result, c.sealedFor())
	if err != nil {
		return nil, fmt.Errorf("the stored result: %w", err)
	}
	var s storedResult
	if err := strictjson.Unmarshal(raw, &s); err != nil || s.Format != storedFormat || s.Trust != c.entry.doc.ContentTrust {
		return nil, errStored
	}
	r := &Result{Text: s.Text, Structured: s.Structured, IsError: s.IsError, Outcome: s.Outcome, Meta: s.Meta}
	for _, item := range s.Content {
		c, ok := item.Content()
		if !ok {
			return nil, errStored
		}
		r.Content = append(r.Content, c)
	}
	if !c.allows(r) {
		return nil, errStored
	}
	r.Outcome.Status = contract.StatusReplayed
	return r, nil
}

// allows reports whether a result that was stored under an earlier contract may
// leave under this one.
func (c *call) allows(r *Result) bool {
	if r.IsError {
		return slices.ContainsFunc(c.entry.doc.FailureModes, func(m contract.FailureMode) bool {
			return m.Code == r.Outcome.Code && m.Class == r.Outcome.Class
		})
	}
	if c.tooLarge(r, 0) || (r.Structured != nil) != (c.entry.bound.Output == bound.Structured) {
		return false
	}
	if r.Structured == nil {
		return true
	}
	tree, err := strictjson.Parse(r.Structured, strictjson.Limits{Elements: len(r.Structured)})
	return err == nil && len(c.entry.bound.OutputSchema.Validate(tree)) == 0
}
