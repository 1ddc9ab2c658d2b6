package witness_test

// oldCalls are those that only amd64 has.
func oldCalls() []rawCall { return nil }
