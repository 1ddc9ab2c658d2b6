package agent

// An Acceptance names the declarations of a server that let a call run without
// a person. The zero value accepts none, and so does a number that is not one
// of the constants.
type Acceptance uint8

const (
	// AcceptContracts lets contracts decide. A person is asked before every
	// call of a tool without a contract.
	AcceptContracts Acceptance = iota + 1
	// AcceptHints also lets the hints of tools without a contract decide. A
	// hint is a claim that nothing enforces: use it only for servers that you
	// run or have reviewed.
	AcceptHints
)
