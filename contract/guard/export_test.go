package guard

import (
	"slices"
	"time"

	"github.com/toolcontract/toolcontract/contract/guard/internal/consent"
	"github.com/toolcontract/toolcontract/contract/guard/internal/ledger"
	"github.com/toolcontract/toolcontract/contract/store"
)

type withoutStage string

func (withoutStage) apply(*config) error { return nil }

// WithoutStage disables a stage, to show that a test notices. Only
// [NewForTest] knows it.
func WithoutStage(name string) Option { return withoutStage(name) }

// NewForTest is New, and takes [WithoutStage].
func NewForTest(opts ...Option) (*Guard, error) {
	g, err := New(opts...)
	if err != nil {
		return nil, err
	}
	for _, o := range opts {
		if name, ok := o.(withoutStage); ok {
			g.pipeline = slices.DeleteFunc(g.pipeline, func(s stage) bool { return s.name == string(name) })
		}
	}
	return g, nil
}

// StageNames returns the name of every stage once, in pipeline order.
func StageNames() []string {
	var names []string
	for _, s := range stages() {
		if !slices.Contains(names, s.name) {
			names = append(names, s.name)
		}
	}
	return names
}

// StageClauses returns "stage, clause" for each clause that a stage enforces,
// and the name alone of a stage that enforces none.
func StageClauses() []string {
	var all []string
	for _, s := range stages() {
		if len(s.enforces) == 0 {
			all = append(all, s.name)
		}
		for _, clause := range s.enforces {
			all = append(all, s.name+", "+clause)
		}
	}
	return all
}

// Undated seals a stored result again without its time, as earlier versions
// did.
func Undated(g *Guard, key store.Key, canonical, sealed []byte) []byte {
	fingerprint := store.Fingerprint(canonical)
	name := string(key.ID[:]) + string(fingerprint[:])
	s, err := g.results.Open(sealed, name)
	if err != nil || s.RecordedAt.IsZero() {
		return nil
	}
	s.RecordedAt = time.Time{}
	return g.results.Seal(s, name)
}

// Retimed seals a question's state again with changed times.
func Retimed(g *Guard, state string, change func(issued, expires *int64)) string {
	states := ledger.RecordOf[consent.State](g.ledger, ledger.States, nil)
	s, err := states.OpenText(state, "")
	if err != nil {
		return ""
	}
	change(&s.Issued, &s.Expires)
	return states.SealText(s, "")
}
