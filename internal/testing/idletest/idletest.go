// Package idletest keeps parallel tests from closing each other's connections.
// Closing an httptest.Server also closes the idle connections of
// http.DefaultTransport, which the clients of other tests share: a request
// about to use one of them fails.
package idletest

import "net/http"

// Main replaces http.DefaultTransport with one whose idle connections no test
// server closes, and runs the tests. Call it from TestMain.
func Main(m interface{ Run() int }) int {
	http.DefaultTransport = open{http.DefaultTransport}
	return m.Run()
}

// open hides every method of a transport except RoundTrip.
type open struct{ http.RoundTripper }
