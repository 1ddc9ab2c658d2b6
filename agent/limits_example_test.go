package agent_test

import (
	"fmt"
	"time"

	"github.com/toolcontract/toolcontract/agent"
)

// A host with a person in front of it waits less long than one that runs alone.
func ExampleLimits() {
	opts := agent.Options{Limits: agent.Limits{Call: time.Minute, Wait: 5 * time.Second, Attempts: 2}}
	fmt.Println(opts.Limits.Call, opts.Limits.Request == 0)
	// Output: 1m0s true
}
