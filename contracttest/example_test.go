package contracttest_test

import (
	"fmt"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contracttest"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

func ExampleInspect() {
	tool := contract.New("notes.keep", does[noteIn, noteOut]).
		Title("Keep").Description("Keeps a note.").Version("1.0.0").
		Effect(risk.LowRiskWrite).Trust(trust.Trusted).Permissions("notes:write").
		MustBuild()

	report := contracttest.Inspect(tool).
		Accept("timeout.missing", "The store has one.")
	for _, f := range report.Findings {
		if f.Severity != contracttest.Info {
			fmt.Println(f)
		}
	}
	// Output:
	// error [sideEffects.missing] notes.keep: sideEffects: the effect is low-risk-write and no side effect is declared; declare SideEffects
	// warning [failures.missing] notes.keep: failureModes: the tool declares no failure of its own; declare Failures with codes of the tool's own
	// warning [timeout.missing] notes.keep: timeoutMs: a call may change something outside the system and has no timeout; declare Timeout (accepted: The store has one.)
}

func ExampleMCPFirst() {
	report := contracttest.MCPFirst("calc", Add)
	fmt.Println(report.Summary)
	for _, r := range report.Results[5:8] {
		fmt.Println(r.ID, r.Verdict, r.Reason)
	}
	// Output:
	// level 2: 18 rules pass, 0 fail, 12 pass as far as contracts show, 10 are not judged
	// R6 pass every input has a schema, and every field has a type
	// R7 pass every result has a schema, and every field has a type
	// R8 pass every write declares its own failures, and the guard reports no other error as one
}

func ExampleAISVS() {
	requirements, err := contracttest.AISVS("1.0", Add.Document())
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range requirements {
		if r.ID == "9.2.3" || r.ID == "9.3.3" {
			fmt.Println(r.ID, r.Verdict, r.By, r.Lacks)
		}
	}
	// Output:
	// 9.2.3 met map[calc.add:reversibility read-only] map[]
	// 9.3.3 unmet map[] map[calc.add:declares no timeoutMs]
}

func ExampleDemands() {
	for _, r := range contracttest.Demands() {
		if r.Clause == "contentTrust" {
			fmt.Println(r.ID, r.Severity)
			fmt.Println(r.Summary)
			fmt.Println(r.Remedy)
		}
	}
	// Output:
	// trust.undeclared error
	// The trust in results is declared. If it is not, results count as prompt-injection-prone.
	// declare Trust; use trust.PromptInjectionProne if strangers can write the results
}
