package docs_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

type cleanInput struct {
	Folder string `json:"folder"`
}

type cleanPreview struct {
	Files int `json:"files"`
}

func clean(context.Context, cleanInput) (struct{}, error) { return struct{}{}, nil }

func Example_dryRun() {
	preview := func(context.Context, cleanInput) (dryrun.Preview[cleanPreview], error) {
		return dryrun.Preview[cleanPreview]{Data: cleanPreview{Files: 3}, Warnings: []string{"One file is from today."}}, nil
	}
	tool := contract.New("folders.clean", clean).
		Description("Moves old files to the bin.").Version("1.0.0").
		Effect(risk.LowRiskWrite).Trust(trust.Trusted).Permissions("folders:write").
		DryRun(dryrun.By(preview).Required()).
		MustBuild()

	c := callerOf(tool, anna("folders:write"))
	c.call(`{"folder":"old"}`)
	dry := c.result(`{"folder":"old","dryRun":true}`)
	var shown struct {
		Files    int      `json:"files"`
		Warnings []string `json:"warnings"`
		Token    string   `json:"dryRunToken"`
	}
	if err := json.Unmarshal(dry.Structured, &shown); err != nil {
		log.Fatal(err)
	}
	fmt.Println(dry.Outcome.Status, shown.Files, shown.Warnings)
	fmt.Println(c.result(`{"folder":"old","dryRunToken":"` + shown.Token + `"}`).Outcome.Status)
	// Output:
	// dry_run_required: first run the same call with dryRun true, then repeat it with the dryRunToken of that preview; the token counts once, for exactly these arguments, for a short time
	// dry-run 3 [One file is from today.]
	// ok
}
