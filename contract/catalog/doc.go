// Package catalog reads the contracts of live servers, for gateways: programs
// that put the tools of many servers behind one endpoint.
//
// The package is experimental until v1: its API can change in a minor version.
package catalog
