package adaptertest

import (
	"slices"
	"time"

	"github.com/toolcontract/toolcontract/internal/rules"
)

// WithPatience returns a harness for which the suite waits less.
func (h Harness) WithPatience(d time.Duration) Harness {
	h.patience = d
	return h
}

// CheckOnly is [Check] for some rules.
func CheckOnly(names []string, newHarness func() Harness) error {
	s := suite()
	s.Checks = slices.DeleteFunc(s.Checks, func(c rules.Check[Harness]) bool { return !slices.Contains(names, c.Name) })
	return s.Check(newHarness)
}
