package records

import (
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/trust"
)

// storedFormat is the version of stored results. For a result of another
// version the answer is already_done.
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
	Meta       map[string]any
	// RecordedAt is when the call ended, in whole seconds. It is zero in
	// results of versions that did not record it.
	RecordedAt time.Time `json:",omitzero"`
}
