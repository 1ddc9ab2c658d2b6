package agent

import (
	"encoding/json"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/enum"
)

// A Tool is one tool of a server, with what the agent knows of its contract.
type Tool struct {
	// Name is the listed name, by which [Agent.Call] calls the tool.
	Name string
	// Contract has the value that applies of every clause; see
	// [contract.Document.Effective]. Clauses that the server does not publish
	// have their stricter value. Its InputSchema and OutputSchema are those of
	// the list.
	Contract contract.Document
	// Source is where Contract comes from.
	Source Source
	// Refusal is why the agent refuses to call the tool, in words. Empty: it
	// does not refuse.
	Refusal string

	digest string // of the listed definition
	output outputChecker
}

// A Source is where the agent knows the contract of a tool from. The zero value
// is [SourceHints].
type Source uint8

const (
	// SourceHints means that the server publishes no contract. The agent knows
	// the schemas and the four hints of the protocol, which promise nothing.
	SourceHints Source = iota
	// SourceSummary means that the list has the contract's summary. Clauses
	// outside it are known by the hints, or have their stricter value.
	SourceSummary
	// SourceContract means that the list has the whole contract.
	SourceContract
)

var sources = enum.Of[Source]("agent", "source", "hints", "summary", "contract")

// String returns the source's text, and a form such as "source(42)" for a
// number that is no source.
func (s Source) String() string { return sources.String(s) }

// MarshalText returns the source's text. A number that is no source is an
// error.
func (s Source) MarshalText() ([]byte, error) { return sources.Marshal(s) }

// UnmarshalText sets s from a source's text. Any other text is an error and
// leaves s unchanged.
func (s *Source) UnmarshalText(text []byte) error { return sources.Unmarshal(s, text) }

// Definition returns the tool in the form in which models take tools: an object
// with name, description and inputSchema.
func (t Tool) Definition() json.RawMessage {
	return nil
}

type outputChecker interface {
	check(structured json.RawMessage) []contract.Violation
}
