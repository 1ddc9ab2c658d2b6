package agent

import (
	"encoding/json"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/internal/enum"
	"github.com/toolcontract/toolcontract/internal/schema"
	"github.com/toolcontract/toolcontract/risk"
)

// A Tool is one tool of a server, with its contract as far as the agent knows
// it.
type Tool struct {
	// Name is the listed name, by which [Agent.Call] calls the tool.
	Name string
	// Contract has the effective value of every clause; see
	// [contract.Document.Effective]. Clauses that the server does not publish
	// have the stricter value. InputSchema and OutputSchema come from the list.
	// The description is sanitised, and so are descriptions inside the input
	// schema; see [trust.Sanitize].
	Contract contract.Document
	// Origin is where Contract comes from.
	Origin Origin
	// Refusal says why the agent refuses to call the tool. Empty: it does not
	// refuse.
	Refusal string

	digest string         // of the definition as listed
	output *schema.Schema // nil: results have no schema, or one that can't be checked
}

// An Origin is where the contract of a tool comes from. The zero value is
// [OriginHints].
type Origin uint8

const (
	// OriginHints means that the server publishes no contract. The agent knows
	// the schemas and the four hints of the protocol, which promise nothing.
	OriginHints Origin = iota
	// OriginSummary means that the list has the contract's summary. Clauses
	// that it lacks follow from the hints or have the stricter value.
	OriginSummary
	// OriginContract means that the list has the whole contract.
	OriginContract
)

var origins = enum.Of[Origin]("agent", "origin", "hints", "summary", "contract")

// String returns the origin's text, or a form such as "origin(42)" for a number
// that is no origin.
func (o Origin) String() string { return origins.String(o) }

// Violations returns where arguments break the input schema of the tool, so
// that a host can show the mistakes before it calls. An [Agent] does not
// validate arguments: the server decides, and may refuse others too. Messages
// contain no values. If the schema can't be compiled, there are no violations.
func (t Tool) Violations(arguments json.RawMessage) []contract.Violation {
	return violations(compile(t.Contract.InputSchema, schema.Input), arguments)
}

// hasContract reports whether the server promises a contract for the tool.
func (t Tool) hasContract() bool { return t.Origin != OriginHints }

// reads reports whether the tool declares that it changes nothing.
func (t Tool) reads() bool { return t.Contract.Effect == risk.ReadOnly }

// mode returns the declared idempotency mode.
func (t Tool) mode() idempotency.Mode {
	if t.Contract.Idempotency == nil {
		return idempotency.None
	}
	return t.Contract.Idempotency.Mode
}

// needsDryRun reports whether a dry run must come before each call.
func (t Tool) needsDryRun() bool { return t.hasContract() && t.Contract.DryRun == dryrun.Required }

func (t Tool) hasDryRun() bool {
	return t.hasContract() && (t.Contract.DryRun == dryrun.Required || t.Contract.DryRun == dryrun.Supported)
}

// mayAsk reports whether the server may ask a person about a call.
func (t Tool) mayAsk() bool {
	return !t.hasContract() || t.Contract.Confirmation != contract.ConfirmationNever || t.Contract.StepUp != nil
}

// takesKey reports whether the server may use an idempotency key of the client.
// A summary doesn't declare that, so a key is sent with every write.
func (t Tool) takesKey() bool {
	if t.Origin == OriginContract {
		return t.Contract.Idempotency.ClientKey
	}
	return t.Origin == OriginSummary && !t.reads()
}
