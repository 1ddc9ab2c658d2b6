package wrap

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/toolcontract/toolcontract/contract"
)

// A Report is the result of WrapAll or Protect: what it guessed, which tools
// have no contract, what changes for clients, and what a contract would bring.
// The zero value reports on no tools.
type Report struct {
	// Tools has every tool of the server, sorted by name, except those that a
	// tool with a contract replaced.
	Tools []Tool
}

// A Tool is the part of a [Report] about one tool. If Contract and Err are nil,
// its rule leaves it as it is.
type Tool struct {
	// Name is the name that the tool was registered under.
	Name string
	// Contract is the contract of the tool. Nil: it has none.
	Contract *contract.Tool
	// Guesses are the clauses inferred from the tool's hints.
	Guesses []Guess
	// Changes are what the contract changes for clients, each one sentence
	// without a period. Equal changes have equal texts.
	Changes []string
	// Next is what the next clauses would bring to a tool that Protect contains,
	// in the same form as Changes.
	Next []string
	// Err is why the tool has no contract, or why its contract cannot be
	// enforced. It joins a [contract.DeclarationError] for every mistake. Nil:
	// nothing is wrong.
	Err error
}

// A Guess is a clause inferred from a tool's hints, because no rule declares
// it.
type Guess struct {
	// Clause is "effect", "sideEffects" or "idempotency".
	Clause string
	// Value is the text of the clause, such as "read-only".
	Value string
	// Hint is the hint that the guess comes from, such as "readOnlyHint".
	// Empty: the tool has no hint, and the strictest value was taken.
	Hint string
}

// String returns a form such as "effect read-only, from readOnlyHint".
func (g Guess) String() string {
	if g.Hint == "" {
		return g.Clause + " " + g.Value + ", because there is no hint"
	}
	return g.Clause + " " + g.Value + ", from " + g.Hint
}

// Contracts returns all contracts in the report.
func (r *Report) Contracts() []*contract.Tool {
	var tools []*contract.Tool
	for _, t := range r.Tools {
		if t.Contract != nil {
			tools = append(tools, t.Contract)
		}
	}
	return tools
}

// String returns tables for a terminal, with a line break at the end: the
// tools, the decisions left to the author, the guesses, the changes for
// clients, and what clauses would bring. Empty tables are left out. Tools with
// equal rows are listed together. With more than 20 tools it is a summary:
// equal tools are counted, and long lists are cut; see [Report.Details].
func (r *Report) String() string {
	if len(r.Tools) <= maxRows {
		return r.Details()
	}
	return r.text(r.writeKinds, maxRows, maxNames)
}

// Details returns what String does, with every tool and every row.
func (r *Report) Details() string { return r.text(r.writeTools, all, all) }

// The limits of a summary: the rows of a table, and the tools of a row.
const (
	maxRows  = 20
	maxNames = 3
	all      = 1 << 30
)

// text returns all tables. It cuts each table after rows rows, and the tools of
// a row after names names.
func (r *Report) text(writeTools func(*strings.Builder), rows, names int) string {
	var b strings.Builder
	writeTools(&b)
	var decisions, guesses, changes, next grouping
	for _, t := range r.Tools {
		for _, e := range contract.DeclarationErrors(t.Err) {
			shared := *e
			shared.Tool = ""
			decisions.add(strings.TrimPrefix(shared.Error(), "contract: "), t.Name)
		}
		for _, g := range t.Guesses {
			guesses.add(g.String(), t.Name)
		}
		for _, c := range t.Changes {
			changes.add(c, t.Name)
		}
		for _, n := range t.Next {
			next.add(n, t.Name)
		}
	}
	for _, table := range []struct {
		title string
		grouping
	}{{"To decide", decisions}, {"Guessed; declare it, or check it", guesses}, {"What changes for clients", changes},
		{"What a clause would bring", next}} {
		table.write(&b, table.title, len(r.Tools), rows, names)
	}
	return b.String()
}

const columns = "\teffect\trisk\ttrust\tasks\tcontract"

func (r *Report) writeTools(b *strings.Builder) {
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "tool"+columns)
	for _, t := range r.Tools {
		_, _ = fmt.Fprintln(w, t.Name+t.row())
	}
	_ = w.Flush() // a strings.Builder never fails
}

// writeKinds counts the tools of each kind.
func (r *Report) writeKinds(b *strings.Builder) {
	var kinds grouping
	for _, t := range r.Tools {
		kinds.add(t.row(), t.Name)
	}
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "tools"+columns)
	for _, row := range kinds.texts {
		_, _ = fmt.Fprintf(w, "%d%s\n", len(kinds.tools[row]), row)
	}
	_ = w.Flush()
}

// row returns the cells of a tool after its name.
func (t *Tool) row() string {
	if t.Contract == nil {
		return "\t\t\t\t\t" + t.state()
	}
	doc := t.Contract.Document()
	return fmt.Sprintf("\t%v\t%v\t%v\t%v\t%s", doc.Effect, doc.Risk, doc.ContentTrust, doc.Confirmation, t.state())
}

func (t *Tool) state() string {
	switch {
	case t.Err != nil:
		return "none: mistakes"
	case t.Next != nil:
		return "none: protected"
	case t.Contract == nil:
		return "none: left as it is"
	case len(t.Guesses) > 0:
		return "with guesses"
	}
	return "declared"
}

// A grouping lists tools by a text that they share, ordered by the first tool
// with each text.
type grouping struct {
	texts []string
	tools map[string][]string
}

func (g *grouping) add(text, tool string) {
	if g.tools == nil {
		g.tools = map[string][]string{}
	}
	if g.tools[text] == nil {
		g.texts = append(g.texts, text)
	}
	g.tools[text] = append(g.tools[text], tool)
}

func (g *grouping) write(b *strings.Builder, title string, of, rows, names int) {
	if len(g.texts) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s:\n", title)
	cut := len(g.texts) > rows+1
	if cut { // what most tools share is more than the rest
		slices.SortStableFunc(g.texts, func(a, b string) int { return cmp.Compare(len(g.tools[b]), len(g.tools[a])) })
	}
	for i, text := range g.texts {
		if i == rows && cut {
			fmt.Fprintf(b, "- and %d more, which Details has\n", len(g.texts)-rows)
			return
		}
		tools := g.tools[text]
		who := strings.Join(tools, ", ")
		switch {
		case len(tools) == of && of > 1:
			who = fmt.Sprintf("all %d tools", of)
		case len(tools) > names+1:
			who = fmt.Sprintf("%s and %d more", strings.Join(tools[:names], ", "), len(tools)-names)
		}
		fmt.Fprintf(b, "- %s\n  %s\n", text, who)
	}
}
