package witness_test

// oldCalls returns those that only amd64 has: none here.
func oldCalls() []rawCall { return nil }
