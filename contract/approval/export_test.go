package approval

// ShowsWindows is showsWindows for tests.
func ShowsWindows(system string, env func(string) string) bool { return showsWindows(system, env) }
