// Package exampleserver holds what the server examples share beside package
// program: the callers and the people.
//
// Over HTTP the bearer token names one of a few invented principals: see
// [Principal]. A real server verifies a signed token instead, and needs only
// package program.
package exampleserver
