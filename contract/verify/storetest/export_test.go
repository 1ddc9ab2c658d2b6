package storetest

import "github.com/toolcontract/toolcontract/internal/rules"

// Check checks a store against every rule and returns all violations joined.
func Check(newHarness func() Harness) error { return suite().Check(newHarness) }

// Rules returns the rules in the order in which they are checked.
func Rules() []rules.Rule { return suite().Rules() }
