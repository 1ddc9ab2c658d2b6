// Package jsonptr writes, reads and follows JSON Pointers (RFC 6901).
package jsonptr
