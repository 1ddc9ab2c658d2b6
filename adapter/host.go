package adapter

import "context"

type hostCheckedKey struct{}

// WithHostChecked marks the context of a request whose Host header was checked.
// Package serve does so.
func WithHostChecked(ctx context.Context) context.Context {
	return context.WithValue(ctx, hostCheckedKey{}, true)
}

// HostChecked reports whether the Host header of a request was checked. An
// adapter needs it if its SDK would check again, because the SDK accepts only
// loopback names.
func HostChecked(ctx context.Context) bool {
	is, _ := ctx.Value(hostCheckedKey{}).(bool)
	return is
}
