package catalog

import (
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// StateFormat is the version of the form of a [State].
const StateFormat = 1

// A State is what a catalogue remembers between cycles. The zero value
// remembers nothing.
type State struct {
	// Format is [StateFormat].
	Format int `json:"format"`
	// Cycle is the number of the last cycle.
	Cycle int64 `json:"cycle"`
	// Tools are all tools that were ever seen, sorted by server and tool.
	Tools []Seen `json:"tools"`
}

// A Seen is what a catalogue remembers about one tool.
type Seen struct {
	// Server and Tool are the names of the source and of the tool there. Name
	// is the name in the catalogue, which no other tool gets.
	Server string `json:"server"`
	Tool   string `json:"tool"`
	Name   string `json:"name"`
	// Gone is true if the server did not list the tool in its last list.
	Gone bool `json:"gone,omitempty"`
	// Digest is that of the definition.
	Digest string `json:"digest"`
	// The facts are the strictest effective ones that the operator has not
	// overridden since.
	Risk         risk.Level            `json:"risk"`
	Effect       risk.Effect           `json:"effect"`
	ContentTrust trust.Level           `json:"contentTrust"`
	Confirmation contract.Confirmation `json:"confirmation"`
	DryRun       dryrun.Mode           `json:"dryRun"`
	Idempotency  idempotency.Mode      `json:"idempotency"`
	Version      string                `json:"version,omitempty"`
}

// ParseState reads a state strictly, as [ParseOverrides] reads an operator's
// file.
func ParseState(data []byte) (State, error) { return parseState(data) }

// ReadState reads a state file. A file that does not exist is the zero State
// and no error. Anything else that is no whole state, such as an empty or a
// torn file, is an error: a catalogue that forgot what it saw would accept any
// downgrade.
func ReadState(path string) (State, error) { return readState(path) }

// WriteFile replaces the state file at once: after a crash at any point, the
// file is the old or the new state. When it returns nil, the new state is on
// disk.
func (s State) WriteFile(path string) error { return s.writeFile(path) }
