package adaptertest_test

import (
	"fmt"
	"io"

	"github.com/toolcontract/toolcontract/contract/internal/adaptertest"
)

// An adapter that answers nothing violates every rule that it is asked about.
// Here it states that it speaks only the older version of the protocol.
func ExampleCheck() {
	err := adaptertest.Check(func() adaptertest.Harness {
		return adaptertest.Harness{
			Stream: func(adaptertest.Settings) (io.ReadWriteCloser, error) {
				return nil, fmt.Errorf("not written yet")
			},
			Capabilities: adaptertest.Capabilities{Older: true},
		}
	})
	first := adaptertest.RuleErrors(err)[0]
	fmt.Println(first.Rule)
	fmt.Println(first.Message)
	// Output:
	// list-definition
	// over a stream, 2025-11-25: Stream returned the error not written yet
}

// A harness of an adapter that serves streams only. A test passes it to
// [adaptertest.Run].
func ExampleHarness() {
	newHarness := func() adaptertest.Harness {
		capabilities := adaptertest.All()
		capabilities.Pages = false // the adapter lists all tools at once
		return adaptertest.Harness{
			Stream: func(s adaptertest.Settings) (io.ReadWriteCloser, error) {
				server, err := newRaw(s)
				if err != nil {
					return nil, err
				}
				return connect(server.serveStream), nil
			},
			Capabilities: capabilities,
		}
	}
	fmt.Println(adaptertest.Check(newHarness))
	// Output: <nil>
}
