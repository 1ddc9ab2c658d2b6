package catalog

// The file of a catalogue, and the names of facts, for the tests.
type (
	State = savedState
	Seen  = seenTool
)

const (
	StateFormat      = stateFormat
	FactRisk         = factRisk
	FactEffect       = factEffect
	FactContentTrust = factContentTrust
	FactConfirmation = factConfirmation
	FactPermissions  = factPermissions
)

var (
	ParseState = parseState
	ReadState  = readState
)
