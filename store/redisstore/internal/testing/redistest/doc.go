// Package redistest runs a real Redis server during a test.
package redistest
