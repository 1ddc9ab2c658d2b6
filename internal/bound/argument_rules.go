package bound

import "github.com/toolcontract/toolcontract/internal/schema"

// argumentRules are what an adapter demands of the arguments of a tool.
type argumentRules struct {
	checks      []Check
	protections []Protection
	unfilled    bool // the handler gets arguments without the defaults of the schema
}

// A Check is an adapter's check of valid arguments. It gets their tree, which
// it must not change, and returns what the handler would misread.
type Check func(tree any) []schema.Violation

// CheckArguments adds a check of every call's arguments. It runs after the
// schema, before a person is asked.
func CheckArguments(b Adaptable, check Check) {
	b.adapted().arguments.checks = append(Checks(b), check)
}

// Checks returns the checks that were added to b.
func Checks(b Adaptable) []Check { return b.adapted().arguments.checks }

// LeaveArguments gives the handler exactly what its caller sent: no defaults of
// the input schema are filled in.
func LeaveArguments(b Adaptable) { b.adapted().arguments.unfilled = true }

// LeavesArguments reports whether LeaveArguments was called.
func LeavesArguments(b Adaptable) bool { return b.adapted().arguments.unfilled }

// A Protection hides the members of arguments and results that a pointer leads
// to. It stands for the tag of a field, which raw JSON does not have.
type Protection struct {
	// Pointer is a JSON Pointer, in which * stands for each item of an array
	// and each member of a map.
	Pointer string
	// Secret means that not even the person who confirms the call sees the
	// value.
	Secret bool
}

// Protect adds a protection to a contract whose input is raw JSON.
func Protect(b Adaptable, p Protection) {
	b.adapted().arguments.protections = append(Protections(b), p)
}

// Protections returns what Protect has added.
func Protections(b Adaptable) []Protection { return b.adapted().arguments.protections }
