// Package idletest keeps the connections of parallel tests apart. Close of an
// httptest.Server closes the idle connections of http.DefaultTransport, which
// are also those of the clients of other tests: a request that was about to
// use one fails.
package idletest

import "net/http"

// Main replaces http.DefaultTransport by one whose idle connections no test
// server closes, and runs the tests. Call it in TestMain.
func Main(m interface{ Run() int }) int {
	http.DefaultTransport = open{http.DefaultTransport}
	return m.Run()
}

// open hides every method of a transport but RoundTrip.
type open struct{ http.RoundTripper }
