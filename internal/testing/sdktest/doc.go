// Package sdktest has the parts of the adapters' tests that depend on no SDK:
// tools, messages as they are on the wire, and servers as processes.
package sdktest
