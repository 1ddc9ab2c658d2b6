// Package sdktest has the parts of the adapters' tests that don't depend on an
// SDK: tools, messages in wire form, and people who answer late.
package sdktest
