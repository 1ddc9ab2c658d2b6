// Package effecttest has handlers whose source the tests analyze. It is a
// package of its own, so that the analysis does not load the analyzer.
package effecttest
