package sinktest

// Check checks a sink against every rule and returns all violations joined.
func Check(newHarness func() Harness) error { return suite().Check(newHarness) }
