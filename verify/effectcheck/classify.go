package effectcheck

import (
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/capslock/interesting"
	"golang.org/x/tools/go/ssa"
)

//go:embed capabilities.cm
var refinements string

// A classifier knows the capabilities of functions, most of them in the
// standard library. The walk through a call graph stops at a function that it
// knows.
type classifier struct {
	capslock *interesting.Classifier
	given    map[string]Capability // from the tool's author
	used     map[string]bool       // the names in given that occurred
}

func newClassifier(given map[string]Capability) (*classifier, error) {
	c, err := interesting.LoadClassifier("capabilities.cm", strings.NewReader(refinements), false)
	if err != nil {
		return nil, fmt.Errorf("effectcheck: %w", err)
	}
	return &classifier{c, given, map[string]bool{}}, nil
}

// of returns a function's capability: "" if its own calls decide, and SAFE if
// it has no effects.
func (c *classifier) of(f *ssa.Function) Capability {
	if origin := f.Origin(); origin != nil {
		f = origin
	}
	name := f.String()
	pkg := ""
	if capability, ok := c.given[name]; ok {
		c.used[name] = true
		return capability
	}
	if p := packageOf(f); p != nil {
		pkg = p.Pkg.Path()
	}
	return Capability(c.capslock.FunctionCategory(pkg, name))
}

// unused returns an error for each of the author's names that did not occur.
func (c *classifier) unused() error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(c.given)) {
		if !c.used[name] {
			errs = append(errs, fmt.Errorf("effectcheck: WithFunction for %s: %w", name, errUnusedFunction))
		}
	}
	return errors.Join(errs...)
}

var errUnusedFunction = errors.New("no analyzed tool calls it; correct the name, or remove the option")
