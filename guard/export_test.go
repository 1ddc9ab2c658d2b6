package guard

import (
	"slices"
	"time"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/guard/internal/consent"
	"github.com/toolcontract/toolcontract/guard/internal/engine"
	"github.com/toolcontract/toolcontract/guard/internal/ledger"
	"github.com/toolcontract/toolcontract/guard/internal/records"
	"github.com/toolcontract/toolcontract/internal/strictjson"
	"github.com/toolcontract/toolcontract/store"
)

// The defaults of the options, for tests that wait for them.
const (
	DefaultQuestionTimeout = defaultQuestionTimeout
	DefaultQuestionTTL     = defaultQuestionTTL
	DefaultDeclineMemory   = defaultDeclineMemory
	DefaultStoreTimeout    = defaultStoreTimeout
	DefaultLease           = defaultLease
	DefaultDrain           = defaultDrain
	DefaultRetries         = defaultRetries
	DefaultRetryWindow     = defaultRetryWindow
	DefaultRateCalls       = defaultRateCalls
	DefaultRateTime        = defaultRateTime
)

// The label of a result, and its key.
const MetaKeyIFC = metaKeyIFC

type IFCLabel = label

type withoutStage string

func (withoutStage) apply(*config) error { return nil }

// WithoutStage disables a stage, to show that a test notices. Only
// [NewForTest] knows it.
func WithoutStage(name string) Option { return withoutStage(name) }

// WithDefaultSink is WithAudit for a test whose options may have none. It comes
// after them.
func WithDefaultSink(sink audit.Sink) Option {
	return optionFunc(func(c *config) error {
		if c.sink == nil {
			c.sink = sink
		}
		return nil
	})
}

// NewForTest is New, and takes [WithoutStage].
func NewForTest(opts ...Option) (*Guard, error) {
	return newGuard(slices.DeleteFunc(engine.Stages(), func(s engine.Stage) bool {
		return slices.Contains(opts, Option(withoutStage(s.Name)))
	}), opts)
}

// StageNames returns the name of every stage once, in pipeline order.
func StageNames() []string {
	var names []string
	for _, s := range engine.Stages() {
		if !slices.Contains(names, s.Name) {
			names = append(names, s.Name)
		}
	}
	return names
}

// StageClauses returns "stage, clause" for each clause that a stage enforces,
// and the name alone of a stage that enforces none.
func StageClauses() []string {
	var all []string
	for _, s := range engine.Stages() {
		if len(s.Enforces) == 0 {
			all = append(all, s.Name)
		}
		for _, clause := range s.Enforces {
			all = append(all, s.Name+", "+clause)
		}
	}
	return all
}

// Undated seals a stored result again without its time and under another name,
// as earlier versions did.
func Undated(g *Guard, key store.Key, canonical, sealed []byte) []byte {
	fingerprint := store.Fingerprint(canonical)
	name := string(key.ID[:])
	stored := ledger.SealerOf[records.StoredResult](g.ledger, ledger.Results, strictjson.Unmarshal)
	s, err := stored.Open(sealed, name)
	if err != nil || s.RecordedAt.IsZero() {
		return nil
	}
	s.RecordedAt = time.Time{}
	s.Arguments = nil
	return stored.Seal(s, name+string(fingerprint[:]))
}

// Retimed seals a question's state again with changed times.
func Retimed(g *Guard, state string, change func(issued, expires *int64)) string {
	states := ledger.SealerOf[consent.QuestionState](g.ledger, ledger.States, nil)
	s, err := states.OpenText(state, "")
	if err != nil {
		return ""
	}
	change(&s.Issued, &s.Expires)
	return states.SealText(s, "")
}
