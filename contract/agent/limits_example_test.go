package agent_test

import (
	"fmt"
	"time"

	"github.com/toolcontract/toolcontract/contract/agent"
)

// A host in front of a person waits shorter than one that works by itself.
func ExampleLimits() {
	limits := agent.Limits{Call: time.Minute, Wait: 5 * time.Second, Attempts: 2}
	_ = agent.WithLimits(limits) // an option of agent.Connect
	fmt.Println(limits.Call, limits.Request == 0)
	// Output: 1m0s true
}
