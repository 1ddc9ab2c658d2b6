package compat

import (
	_ "embed"
	"encoding/json"
	"slices"
	"sync"

	"github.com/toolcontract/toolcontract/internal/clausediff"
)

//go:embed kinds.json
var kindsJSON []byte

// allKinds reads the file. A test reads it again and reports any mistakes.
var allKinds = sync.OnceValue(func() (kinds []Kind) {
	_ = json.Unmarshal(kindsJSON, &kinds)
	for i, k := range kinds {
		kinds[i].Downgrade = k.Downgrade || clausediff.Weakens(clausediff.Protections, k.ID)
	}
	return kinds
})

// Kinds returns all kinds of change in the order in which a contract is read:
// those of the clauses, then those of the schemas. The slice belongs to the
// caller.
func Kinds() []Kind { return slices.Clone(allKinds()) }
