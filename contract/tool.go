package contract

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/toolcontract/toolcontract/contract/definition"
	"github.com/toolcontract/toolcontract/internal/bound"
)

// A Tool is a built contract with its handler. It can be called only through a
// guard. It is immutable and safe for concurrent use.
type Tool struct {
	holder
	doc    Document
	digest func() (string, error) // calculates it when it is first called

	definition *definition.Definition // nil unless made by Bind
}

// holder holds the part of a tool that only the guard gets.
type holder = bound.Holder

// Name returns the tool's name.
func (t *Tool) Name() string { return t.doc.Name }

// Document returns a copy of the contract, with both schemas.
func (t *Tool) Document() Document { return t.doc.Clone() }

// Digest returns the digest of the contract; see [Document.Digest].
func (t *Tool) Digest() string {
	digest, _ := t.digest() // Build has refused documents without one
	return digest
}

// MarshalJSON writes the contract as its [Document].
func (t *Tool) MarshalJSON() ([]byte, error) { return json.Marshal(t.doc) }

// A Buildable builds one tool. Every [Builder] is one, whatever its types.
type Buildable interface {
	Build() (*Tool, error)
}

// BuildAll builds a server's tools, in the order of the builders. It returns
// all of them, or none if there is a mistake. The error joins the mistakes of
// all builders, sorted by tool name, and within a tool in Build's order.
// [DeclarationErrors] lists them. A nil builder is an error.
//
//	tools, err := contract.BuildAll(read, send, remove)
func BuildAll(builders ...Buildable) ([]*Tool, error) {
	tools := make([]*Tool, 0, len(builders))
	var broken []failedBuild
	for i, b := range builders {
		tool, err := buildOne(i, b)
		if err != nil {
			broken = append(broken, failedBuild{toolNameIn(err), err})
			continue
		}
		tools = append(tools, tool)
	}
	if len(broken) == 0 {
		return tools, nil
	}
	slices.SortStableFunc(broken, func(a, b failedBuild) int { return cmp.Compare(a.tool, b.tool) })
	errs := make([]error, len(broken))
	for i, f := range broken {
		errs[i] = f.err
	}
	return nil, errors.Join(errs...)
}

func buildOne(i int, b Buildable) (*Tool, error) {
	if b == nil {
		return nil, fmt.Errorf("contract: BuildAll: builder %d is nil; leave it out", i)
	}
	return b.Build()
}

// A failedBuild has the mistakes of one tool.
type failedBuild struct {
	tool string
	err  error
}

// toolNameIn returns the name of the tool whose mistakes err has.
func toolNameIn(err error) string {
	if mistakes := DeclarationErrors(err); len(mistakes) > 0 {
		return mistakes[0].Tool
	}
	return ""
}

// PermissionsOf returns all permissions that the tools declare, each once and
// sorted. A principal holding them may call every tool, as far as permissions
// decide. It ignores nil tools.
func PermissionsOf(tools ...*Tool) []string {
	var all []string
	for _, t := range tools {
		if t != nil {
			all = append(all, t.doc.Permissions...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
