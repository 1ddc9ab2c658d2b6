package adapter

import "context"

type hostCheckedKey struct{}

// WithHostChecked marks the context of a request whose Host header was checked,
// as package serve does it.
func WithHostChecked(ctx context.Context) context.Context {
	return context.WithValue(ctx, hostCheckedKey{}, true)
}

// HostChecked reports whether the Host header of a request was checked. An
// adapter asks if its SDK would check it once more, because the SDK knows only
// names of the loopback interface.
func HostChecked(ctx context.Context) bool {
	is, _ := ctx.Value(hostCheckedKey{}).(bool)
	return is
}
