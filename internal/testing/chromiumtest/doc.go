// Package chromiumtest drives an installed Chromium in tests, using the
// DevTools protocol over a pipe. It skips the test if Chromium isn't installed
// or not all tests are run.
package chromiumtest
