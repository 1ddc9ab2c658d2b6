package contracttest

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/risk"
)

// A ByteReport lists what tools cost in tools/list. The zero value is the
// report for no tools.
type ByteReport struct {
	// Tools are sorted by name.
	Tools []ToolBytes
}

// ToolBytes is the length of one tool's JSON in tools/list by tier, in bytes,
// including its schemas and description.
type ToolBytes struct {
	// Name is the name of the tool.
	Name string
	// Hints, Summary and Full are the bytes of the tool's entry in each tier.
	Hints, Summary, Full int
}

// Measure measures tools as tools/list shows them, with the default naming. It
// leaves out forbidden tools, which are not listed. The error joins a
// [contract.DeclarationError] for every nil tool and every tool that cannot be
// served.
func Measure(tools ...*contract.Tool) (ByteReport, error) {
	var report ByteReport
	var errs []error
	for _, t := range tools {
		if t == nil {
			errs = append(errs, &contract.DeclarationError{Rule: "serve.nil", Message: "the tool is nil",
				Remedy: "pass what Build returned"})
			continue
		}
		doc := t.Document()
		if doc.Risk == risk.Forbidden {
			continue
		}
		size, err := measure(doc)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		report.Tools = append(report.Tools, size)
	}
	if err := errors.Join(errs...); err != nil {
		return ByteReport{}, err
	}
	slices.SortStableFunc(report.Tools, func(a, b ToolBytes) int { return cmp.Compare(a.Name, b.Name) })
	return report, nil
}

// measure measures one tool. It returns an error for a tool that cannot be
// listed in one of the tiers.
func measure(doc contract.Document) (ToolBytes, error) {
	var bytes [3]int
	for _, tier := range []contract.Tier{contract.TierSummary, contract.TierFull, contract.TierHints} {
		raw, err := ListedJSON(doc, tier, contract.Underscore)
		if err != nil {
			return ToolBytes{}, err
		}
		bytes[tier] = len(raw)
	}
	return ToolBytes{
		Name: doc.Name, Hints: bytes[contract.TierHints], Summary: bytes[contract.TierSummary], Full: bytes[contract.TierFull],
	}, nil
}

// tokens estimates the tokens in n bytes of JSON: a quarter, rounded up. Models
// differ, so the number is only good for comparing.
func tokens(n int) int { return (n + 3) / 4 }

// Total returns the sums over all tools, under the name "total".
func (r ByteReport) Total() ToolBytes {
	total := ToolBytes{Name: "total"}
	for _, t := range r.Tools {
		total.Hints += t.Hints
		total.Summary += t.Summary
		total.Full += t.Full
	}
	return total
}

// String returns a table for a terminal, ending with a newline. It has a row
// for each tool and one for the total, with bytes and tokens by tier. The
// tokens are estimated as a quarter of the bytes, because models differ.
func (r ByteReport) String() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight|tabwriter.TabIndent)
	row := func(cells ...any) { _, _ = fmt.Fprintf(w, strings.Repeat("%v\t", len(cells))+"\n", cells...) }
	row("tool", contract.TierHints, "tokens", contract.TierSummary, "tokens", contract.TierFull, "tokens")
	for _, t := range append(slices.Clone(r.Tools), r.Total()) {
		row(t.Name, t.Hints, tokens(t.Hints), t.Summary, tokens(t.Summary), t.Full, tokens(t.Full))
	}
	_ = w.Flush() // a strings.Builder never fails
	return b.String()
}
