package effectcheck

import (
	"strings"
)

// The functions of a tool.
const (
	handlerPart = "handler"
	// A dry run must change nothing, whatever the tool's effect is.
	dryRunPart    = "dry run"
	precheckPart  = "precheck"
	reconcilePart = "reconciliation"
)

// An Effect is one capability of one of a tool's functions, and whether it
// agrees with the contract.
type Effect struct {
	// Tool is the name of the tool.
	Tool string `json:"tool"`
	// Part is the function that has the capability: "handler", "dry run",
	// "precheck" or "reconciliation".
	Part string `json:"part"`
	// Capability is what the function can do. Empty: the function's source was
	// not found.
	Capability Capability `json:"capability,omitempty"`
	// Conclusion says whether the capability agrees with the contract.
	Conclusion Conclusion `json:"conclusion"`
	// Rule is the stable ID of the rule behind a conclusion other than
	// Consistent, such as "readonly.effect". Empty: the contract does not rule
	// the capability out.
	Rule string `json:"rule,omitempty"`
	// Message describes the problem, and Remedy says what to change. Both are
	// empty if the conclusion is Consistent.
	Message string `json:"message,omitempty"`
	Remedy  string `json:"remedy,omitempty"`
	// Path is the shortest chain of calls from the function to the capability.
	Path []Step `json:"path,omitempty"`
	// Allowed is the reason given to [Analysis.Allow]. Empty: the effect is not
	// allowed.
	Allowed string `json:"allowed,omitempty"`
}

// A Step is one function in a chain of calls.
type Step struct {
	// Function is the function's full name, such as "(*os.Root).Create".
	Function string `json:"function"`
	// At is the file and line of its call to the next function. Empty: it is
	// the last one.
	At string `json:"at,omitempty"`
}

// String returns the effect with its chain of calls, one call per line.
func (f Effect) String() string {
	var b strings.Builder
	b.WriteString(string(f.Conclusion))
	if f.Rule != "" {
		b.WriteString(" [" + f.Rule + "]")
	}
	b.WriteString(" " + f.Tool + ": ")
	if f.Message == "" {
		b.WriteString("the " + f.Part + " can " + f.Capability.phrase())
	} else {
		b.WriteString(f.Message + "; " + f.Remedy)
	}
	if f.Allowed != "" {
		b.WriteString(" (allowed: " + f.Allowed + ")")
	}
	for _, step := range f.Path {
		b.WriteString("\n\t" + step.Function)
		if step.At != "" {
			b.WriteString(" at " + step.At)
		}
	}
	return b.String()
}

func (f Effect) fails() bool { return f.Allowed == "" && f.Conclusion != Consistent }
