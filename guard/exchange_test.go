package guard

import (
	"context"

	"github.com/toolcontract/toolcontract/internal/exchange"
)

// The tests of this package call tools without an adapter.
type (
	Request  = exchange.Request
	Client   = exchange.Client
	Result   = exchange.Result
	Audience = exchange.Audience
)

// The errors of calls that only an adapter distinguishes.
var (
	ErrNoServer      = exchange.ErrNoServer
	ErrRejectedState = exchange.ErrRejectedState
)

// Call runs one request through the pipeline.
func (s *Toolset) Call(ctx context.Context, req Request) (*Result, error) {
	return s.set.Call(ctx, req)
}

// Adapter returns the operations for an adapter.
func (s *Toolset) Adapter() exchange.Operations { return s.set }
