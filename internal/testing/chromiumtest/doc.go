// Package chromiumtest drives an installed Chromium in tests, over its DevTools
// protocol on a pipe. If Chromium is not installed, or if not all tests run,
// the test is skipped.
package chromiumtest
