package pages

import "github.com/toolcontract/toolcontract/guard"

// Lifetime is how long a browser stays signed in.
const Lifetime = lifetime

// ShowsWindows is showsWindows for tests.
func ShowsWindows(system string, env func(string) string) bool { return showsWindows(system, env) }

// OpenBrowser is openBrowser for tests.
func OpenBrowser(address string) error { return openBrowser(address) }

// NewLoopback is [ListenLoopback] without a listener.
func NewLoopback(person guard.Principal, c LoopbackConfig) (*Approvals, error) {
	return newLoopback("127.0.0.1:1234", person, c)
}

// KnownPath is the path that a signed-in window opens when asked for the given
// one.
func (a *Approvals) KnownPath(to string) string { return a.local.knownPath(to) }

// FormToken and IsFormToken are the methods of [Sessions] for tests.
var (
	FormToken   = (*Sessions).formToken
	IsFormToken = (*Sessions).isFormToken
)
