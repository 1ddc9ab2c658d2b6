// Package ratelimit limits how often something happens, with token buckets.
//
// A guard uses it to keep callers from flooding a tool. Without any
// configuration it counts in the memory of its own process. Make a [Memory]
// yourself to share limits between the guards of one process, and implement
// [Limiter] to share them between processes.
package ratelimit
