package records

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard/internal/answer"
	"github.com/toolcontract/toolcontract/guard/internal/results"
	"github.com/toolcontract/toolcontract/guard/internal/running"
	"github.com/toolcontract/toolcontract/internal/contain"
	"github.com/toolcontract/toolcontract/internal/exchange"
	"github.com/toolcontract/toolcontract/internal/keyring"
	"github.com/toolcontract/toolcontract/store"
	"github.com/toolcontract/toolcontract/trust"
)

// storedFormat is the version of stored results. A call with a result of
// another version answers already_done.
const storedFormat = 1

// A StoredResult is a result as the caller got it, in the form that is sealed
// and stored.
type StoredResult struct {
	Format     int
	Text       string
	Content    []storedContent
	Structured []byte
	IsError    bool
	Outcome    contract.Outcome
	Trust      trust.Level      `json:",omitzero"` // the trust by which the result was sanitized
	Delimit    trust.Delimiting `json:",omitzero"` // how its texts were delimited; undeclared: as Trust decides
	Sanitize   trust.Sanitizing `json:",omitzero"` // what was cleaned; undeclared: all of it
	Meta       map[string]any
	// Out is what the handler returned, as JSON, if the tool has a function
	// that decides whether the result still holds.
	Out []byte `json:",omitempty"`
	// RecordedAt is when the call ended, in whole seconds. It is zero in
	// results of versions that did not record it.
	RecordedAt time.Time `json:",omitzero"`
	// Arguments is the digest of the arguments of the call. Results of earlier
	// versions lack it, because their names had it.
	Arguments []byte `json:",omitempty"`
	// Validity is zero if the result holds for as long as it is kept.
	Validity validity `json:",omitzero"`
	// Found means that the result comes from Reconcile, and not from the handler.
	Found bool `json:",omitempty"`
}

// A validity is how long a result was kept when it was written, and how long it
// holds from then on, both by the clock of the store. A negative Holds means not
// at all.
type validity struct{ Kept, Holds time.Duration }

// isOver reports whether a result that is kept for another time holds no longer.
func (v validity) isOver(keptFor time.Duration) bool {
	return v != (validity{}) && v.Kept-keptFor >= v.Holds
}

// seal returns a result in the form that the store keeps for the time kept. Only
// the guard's keys open it, and only as the outcome of this call.
func (r *Records) seal(ctx context.Context, e *CallEntry, end End, kept time.Duration) []byte {
	result := end.Result
	s := StoredResult{
		Out:    r.output(ctx, e, end.Execution),
		Format: storedFormat, Text: result.Text, Structured: result.Structured, IsError: result.IsError, Outcome: result.Outcome,
		Trust: e.Tool.Doc.ContentTrust, Delimit: e.Tool.Doc.Delimit, Sanitize: e.Tool.Doc.Sanitize, Meta: result.Meta,
		RecordedAt: time.Now().UTC().Truncate(time.Second), Found: end.found,
	}
	if holds := r.holdsFor(ctx, e, end); holds != 0 {
		s.Validity = validity{Kept: kept, Holds: holds}
	}
	for _, item := range result.Content {
		s.Content = append(s.Content, storeContent(item))
	}
	if sealed := r.sealResult(e, s); sealed != nil {
		return sealed
	}
	return r.mark(e, lostUnwritable)
}

// output returns the JSON of what a handler returned, for a tool that decides
// later whether it still holds. Nil: it does not, or the output has no JSON.
func (r *Records) output(ctx context.Context, e *CallEntry, ex running.Execution) []byte {
	if !e.mayEnd() || ex.Kind != running.Returned {
		return nil
	}
	out, _, _ := e.Tool.Impl.Parts(ex.Out)
	raw, err := contain.Author(ctx, r.authors, func(context.Context) ([]byte, error) { return json.Marshal(out) })
	if err != nil {
		return nil
	}
	return raw
}

// sealResult seals a result under the key of its record, so that a lookup opens
// it without the arguments. A call checks that the result has its arguments.
func (r *Records) sealResult(e *CallEntry, s StoredResult) []byte {
	arguments := store.Fingerprint(e.Args.Compared) // unkeyed, because it is sealed
	s.Arguments = arguments[:]
	return r.results.Seal(s, resultName(e.ID()))
}

// openResult opens the stored result of a call.
func (r *Records) openResult(e *CallEntry, sealed []byte) (StoredResult, error) {
	arguments := store.Fingerprint(e.Args.Compared)
	s, err := r.results.Open(sealed, resultName(e.ID()))
	switch {
	case errors.Is(err, keyring.ErrSealed): // an earlier version has sealed it
		return r.results.Open(sealed, resultName(e.ID())+string(arguments[:]))
	case err == nil && !bytes.Equal(s.Arguments, arguments[:]):
		return StoredResult{}, keyring.ErrSealed
	}
	return s, err
}

// resultName returns the name that binds a stored result to its record.
func resultName(key store.Key) string { return string(key.ID[:]) }

// Result returns the recorded outcome of an earlier call. An outcome that was
// not kept, or that the contract no longer allows, is not replayed; the error
// says why.
func (r *Records) Result(ctx context.Context, e *CallEntry, recorded store.ClaimResult) (*exchange.Result, *LostError) {
	result, why := r.open(e, recorded)
	if why == "" {
		return result, nil
	}
	return results.Refused(e.Tool, answer.NewRefusal(contract.CodeAlreadyDone, "")), &LostError{r.explain(ctx, e, why)}
}

func (r *Records) open(e *CallEntry, recorded store.ClaimResult) (*exchange.Result, Loss) {
	if recorded.Result == nil {
		return nil, lostDropped
	}
	s, err := r.openResult(e, recorded.Result)
	switch {
	case errors.Is(err, keyring.ErrSealed):
		return nil, lostSealingKey
	case err != nil:
		return nil, lostMalformed
	case s.Format == lostFormat && slices.Contains(markedLosses, Loss(s.Text)):
		return nil, Loss(s.Text)
	case s.Format != storedFormat:
		return nil, lostVersion
	case s.Trust != e.Tool.Doc.ContentTrust:
		return nil, lostTrust
	case s.Delimit.Effective(s.Trust) != e.Tool.Delimiting():
		return nil, lostDelimiting
	case s.Sanitize.Effective() != e.Tool.Doc.Sanitize.Effective():
		return nil, lostSanitizing
	}
	result := &exchange.Result{Text: s.Text, Structured: s.Structured, IsError: s.IsError, Outcome: s.Outcome, Meta: s.Meta}
	for _, item := range s.Content {
		c, ok := item.content()
		if !ok {
			return nil, lostMalformed
		}
		result.Content = append(result.Content, c)
	}
	if broken := results.Broken(e.Tool, result); broken != "" {
		return nil, Loss(broken)
	}
	result.Outcome.Status = contract.StatusReplayed
	if result.Text == "" && len(result.Content) == 0 { // an empty text, which stays the first item
		result.Content = append(result.Content, contract.TextContent{})
	}
	result.Content = append(result.Content, replayNote(&s))
	return result, ""
}

// replayNote returns a text for a model that might think the call ran again. It
// is an item of its own, because the guard's texts are neither delimited nor
// part of the structured content.
func replayNote(s *StoredResult) contract.TextContent {
	when := ""
	if !s.RecordedAt.IsZero() {
		when = " at " + s.RecordedAt.UTC().Format(time.RFC3339)
	}
	if s.Found {
		return contract.TextContent{Text: "This is the result of the same call, whose answer was lost. The system behind the " +
			"tool confirmed it" + when + "; nothing was done again."}
	}
	return contract.TextContent{Text: "This is the recorded result of the same call" + when + "; nothing was done again."}
}
