package failurecheck_test

import (
	"fmt"

	"github.com/toolcontract/toolcontract/contract/verify/failurecheck"
	"github.com/toolcontract/toolcontract/internal/zoo"
)

func ExampleInspect() {
	for _, e := range zoo.All() {
		if e.Name != "failure_never_returned" {
			continue
		}
		verdicts, err := failurecheck.Inspect(e.Lying(zoo.Env{}).Tool)
		if err != nil {
			fmt.Println(err)
			return
		}
		for _, v := range verdicts {
			fmt.Println(v.Tool, v.Answer)
			for _, f := range v.Findings {
				fmt.Println(f.Rule, f.Code)
			}
		}
	}
	// Output:
	// notes.read contradicted
	// failure.neverReturned quota_exhausted
}
