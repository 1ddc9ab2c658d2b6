// Package evidence implements the evidence commands, which show how far a
// server meets a standard.
package evidence

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"slices"

	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/cli"
	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/snapshot"
	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/target"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contracttest"
	"github.com/toolcontract/toolcontract/risk"
)

// Command returns the evidence command group.
func Command() cli.Command {
	return cli.Command{
		Name: "evidence", Purpose: "show how far the contracts of a server meet a standard",
		Commands: []cli.Command{{
			Name: "aisvs", Arguments: "SNAPSHOT | " + target.Arguments,
			Purpose: "show which requirements of OWASP AISVS, chapters C9 and C10, a server meets",
			Details: "A requirement is met if every tool has what it needs. Otherwise it is declared but not enforced here, not " +
				"met, or outside of what contracts show. The report is Markdown, with the clauses, tests and manual pages behind " +
				"each verdict. It is evidence, not a check, so the exit status is 0 even if nothing is met.\n\n" +
				"A contract is what a server declares: a list does not show that a guard enforces it. Most servers list only " +
				"summaries, which leave out the limits, so they meet fewer requirements. Use a snapshot, or let the server list full " +
				"contracts. A snapshot is the file that contracttest.Golden records, or a file with a result of tools/list. " +
				target.Details + " It lists only the tools whose permissions the caller holds.",
			Example: "evidence aisvs testdata/contracts.json", JSON: true, Prepare: prepare,
		}},
	}
}

// note is about every report.
const note = "The server declares these contracts. Its list does not show that a guard enforces them or how it is served, and " +
	"a gateway may have guessed some clauses. The tests are those of the library."

// A report is the evidence about one server.
type report struct {
	Standard string   `json:"standard"`
	Version  string   `json:"version"`
	Note     string   `json:"note"`  // what the report does not show
	Tools    []string `json:"tools"` // as listed
	// Counts has the number of requirements with each verdict.
	Counts       map[string]int             `json:"counts"`
	Requirements []contracttest.Requirement `json:"requirements"`
}

func prepare(flags *flag.FlagSet, t *cli.Terminal) func(context.Context, []string) (cli.Status, error) {
	server := target.Declare(flags)
	version := flags.String("standard", "1.0", "the `version` of the standard: 1.0 or 1.01-dev")
	return func(ctx context.Context, args []string) (cli.Status, error) {
		if _, err := contracttest.AISVS(*version); err != nil {
			return cli.Failed, cli.Usage("-standard must be 1.0 or 1.01-dev")
		}
		listed, _, err := snapshot.Listed(ctx, server, args, t)
		if err != nil {
			return cli.Failed, err
		}
		r := report{Standard: "OWASP AISVS", Version: *version, Note: note, Tools: []string{}, Counts: map[string]int{}}
		docs := make([]contract.Document, len(listed))
		for i, raw := range listed {
			if docs[i], err = document(raw); err != nil {
				return cli.Failed, err
			}
			r.Tools = append(r.Tools, docs[i].Name)
		}
		slices.Sort(r.Tools)
		r.Requirements, _ = contracttest.AISVS(*version, docs...) // the version is known
		for _, one := range r.Requirements {
			r.Counts[one.Verdict]++
		}
		return cli.OK, t.Print(r, r.markdown())
	}
}

// document returns the contract of a listed tool, with the listed name and
// schemas. A contract that cannot be read counts as none, and so does one that
// forbids the tool, because the server lists the tool all the same.
func document(raw json.RawMessage) (contract.Document, error) {
	var tool struct {
		Name         string
		InputSchema  json.RawMessage
		OutputSchema json.RawMessage
		Meta         map[string]json.RawMessage `json:"_meta"`
	}
	if json.Unmarshal(raw, &tool) != nil {
		return contract.Document{}, errors.New("a listed tool does not have the form that the protocol defines")
	}
	var doc contract.Document
	_ = json.Unmarshal(tool.Meta[contract.MetaKeyContract], &doc) // on an error it stays zero
	if doc.Risk == risk.Forbidden {
		doc = contract.Document{}
	}
	doc.Name, doc.InputSchema, doc.OutputSchema = tool.Name, tool.InputSchema, tool.OutputSchema
	return doc, nil
}
