// Package outcomes_test tries what callers are told about orders whose servers
// are killed, stopped or hang. Servers are processes over stdio, on each SDK
// and each store. They place orders at a provider, which runs in the process of
// the test, so that it outlives them and knows what really happened.
//
// An answer is untrue if it is a success whose receipt the provider never gave
// to this order, or if it says that an order was not placed, which is then
// placed under the same key.
package outcomes_test
