// Package chromiumtest drives an installed Chromium in tests, over its DevTools
// protocol on a pipe. A test that needs one is skipped where there is none.
package chromiumtest
