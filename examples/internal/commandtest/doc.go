// Package commandtest tests the command toolcontract against the examples.
package commandtest
