package catalog

// The file of a catalogue, and the names of facts, for the tests.
type (
	State    = savedState
	Seen     = seenTool
	PageJSON = pageJSON
)

const (
	StateFormat      = stateFormat
	FactRisk         = factRisk
	FactEffect       = factEffect
	FactContentTrust = factContentTrust
	FactConfirmation = factConfirmation
	FactPermissions  = factPermissions
)

var ParseState = parseState

func ReadState(path string) (State, error) {
	s, _, err := readStateFile(path)
	return s, err
}
