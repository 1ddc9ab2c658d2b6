// Package redistest runs a real Redis server for the time of a test.
package redistest
