// Package sdktest has the parts of the adapters' tests that depend on no SDK:
// tools, messages as they are on the wire, and people whose answers come late.
package sdktest
