package approval

// ShowsWindows is showsWindows for tests.
func ShowsWindows(system string, env func(string) string) bool { return showsWindows(system, env) }

// OpenBrowser is openBrowser for tests.
func OpenBrowser(address string) error { return openBrowser(address) }

// ReturnPath is returnPath for tests.
func (p *Page) ReturnPath(to string) string { return p.returnPath(to) }
