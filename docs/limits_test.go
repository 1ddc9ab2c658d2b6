package docs_test

import (
	"context"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

func Example_limits() {
	wait := func(ctx context.Context, _ struct{}) (struct{}, error) {
		<-ctx.Done() // the deadline of the contract
		return struct{}{}, ctx.Err()
	}
	slow := contract.New("reports.build", wait).
		Description("Builds the report.").Version("1.0.0").
		Effect(risk.ReadOnly).Trust(trust.Trusted).
		RateLimit(1, time.Hour).
		Timeout(10 * time.Millisecond).
		MaxConcurrent(2).
		MustBuild()

	c := callerOf(slow, contract.Principal{})
	c.call(`{}`)
	c.call(`{}`)
	// Output:
	// timeout: The tool did not end in time.
	// rate_limit_exceeded: Too many calls; try again after the delay.
	// Try again in 1h0m0s.
}
