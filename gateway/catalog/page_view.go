package catalog

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/webpage"
	"github.com/toolcontract/toolcontract/risk"
)

// A pageView is everything that the template shows.
type pageView struct {
	Path, Title, By, SignIn string

	All, Alone, Confirmed int // numbers of tools that the visitor sees
	NotServed             int // those of them that the catalogue does not serve
	Risks                 []riskCount
	Flow                  flowView
	Changes               *changesView
	Servers               []Server    // with problems
	Alones                []aloneView // the tools that an agent may call alone
	MoreAlone             int

	Filter  filter
	Options filterOptions
	Found   int
	Groups  []toolGroup
	Page    pageNumber
	Auditor bool
}

// An aloneView is a tool that an agent may call alone.
type aloneView struct {
	Name string
	Some bool // with some arguments only
}

type riskCount struct {
	Risk    string
	Count   int
	Address string
}

// filterOptions are the choices of the form.
type filterOptions struct{ Risks, Trusts, Servers []string }

// A pageNumber is the position of a page among all pages of a selection.
type pageNumber struct {
	Now, Last, From, To int
	Before, Next        string // addresses; empty: none
}

// A toolGroup has the tools of one risk.
type toolGroup struct {
	Risk  string
	Tools []toolView
}

// A toolView is one tool of the page.
type toolView struct {
	Name, Title, Risk, Server string
	First                     string // the first sentence of the description
	Description               string
	Asks, Trust               string
	Class                     string // of reversibility
	Alone                     bool   // an agent may change or send something without a person
	Status                    string // empty: the tool is served
	Deprecated                bool
	Clauses                   []clauseView
	Failures                  []failureView
	Input, Output             *shownSchema
	Facts                     []Fact
	Problems                  []Problem
}

type clauseView struct {
	Term  string
	Words []string
}

type failureView struct{ Code, Class, Description, By string }

// A changesView has the changes in the last cycle.
type changesView struct {
	Rows []changeView
	More int // the number of changes that are left out
}

type changeView struct {
	Tool, Where, Class, Reason string
	Weaker                     bool
}

const (
	shownChanges  = 100
	shownAlone    = 100
	shownFailures = 50
)

func (p *page) showPage(v visit) {
	tools := p.list(v)
	servers := serversOf(tools)
	f := filterOf(v.r.URL.Query(), servers)
	view := pageView{
		Path: v.path(), Title: p.Title, By: clean(v.by.Subject), SignIn: p.signInFrom(v), All: len(tools),
		Flow: newFlowView(combination(tools), !v.isAuditor()), Changes: p.changesView(v, tools), Servers: p.serversWithProblems(v),
		Filter: f, Options: filterOptions{Risks: levelNames(), Trusts: trustNames(), Servers: servers}, Auditor: v.isAuditor(),
	}
	view.count(tools)
	var found []*listedTool
	for _, t := range tools {
		if f.matches(t) {
			found = append(found, t)
		}
	}
	view.Found = len(found)
	view.Page = number(view.Path, f, len(found))
	for _, t := range found[view.Page.From:view.Page.To] {
		level := t.effective.Risk.String()
		if n := len(view.Groups); n == 0 || view.Groups[n-1].Risk != level {
			view.Groups = append(view.Groups, toolGroup{Risk: level})
		}
		g := &view.Groups[len(view.Groups)-1]
		g.Tools = append(g.Tools, newToolView(t))
	}
	if view.Found > 0 {
		view.Page.From++
	}
	webpage.Render(v.w, http.StatusOK, pageTemplates, "page", view)
}

// count fills in the numbers of tools, by risk and by whether a person decides.
func (view *pageView) count(tools []*listedTool) {
	counts := map[string]int{}
	for _, t := range tools {
		counts[t.effective.Risk.String()]++
		if !t.served {
			view.NotServed++
			continue
		}
		if mayRunAlone(&t.effective) {
			view.Alone++
			if len(view.Alones) < shownAlone {
				view.Alones = append(view.Alones, aloneView{Name: clean(t.doc.Name), Some: !runsAlone(&t.effective)})
			}
		}
		if t.effective.Confirmation == contract.ConfirmationWhen || t.effective.Confirmation == contract.ConfirmationAlways {
			view.Confirmed++
		}
	}
	slices.SortFunc(view.Alones, func(a, b aloneView) int { return strings.Compare(a.Name, b.Name) })
	view.MoreAlone = view.Alone - len(view.Alones)
	for _, level := range levelNames() {
		if counts[level] > 0 {
			address := view.Path + "?" + filter{Risk: level}.values(1)
			view.Risks = append(view.Risks, riskCount{Risk: level, Count: counts[level], Address: address})
		}
	}
}

// number returns the position of the page that f selects among the pages of
// this many tools. path is the path of the page. A page after the last one is
// the last one.
func number(path string, f filter, tools int) pageNumber {
	last := max(1, (tools+toolsOnPage-1)/toolsOnPage)
	n := pageNumber{Now: min(f.page, last), Last: last}
	n.From = (n.Now - 1) * toolsOnPage
	n.To = min(n.From+toolsOnPage, tools)
	if n.Now > 1 {
		n.Before = path + "?" + f.values(n.Now-1)
	}
	if n.Now < last {
		n.Next = path + "?" + f.values(n.Now+1)
	}
	return n
}

// serversOf returns the sorted names of the tools' servers. There are none
// without a catalogue.
func serversOf(tools []*listedTool) []string {
	var names []string
	for _, t := range tools {
		if name := t.server(); name != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// serversWithProblems returns the servers that have problems or whose list is
// stale. It returns them to auditors only.
func (p *page) serversWithProblems(v visit) []Server {
	if p.Catalog == nil || !v.isAuditor() {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(p.Catalog.Cycle().Servers), func(s Server) bool {
		return len(s.Problems) == 0 && !s.Stale
	})
}

// changesView returns the changes in the last cycle, downgrades first.
func (p *page) changesView(v visit, tools []*listedTool) *changesView {
	if p.Catalog == nil {
		return nil
	}
	var weaker, others []changeView
	for _, change := range p.changes(v, tools) {
		if row := ofCycle(change); row.Weaker {
			weaker = append(weaker, row)
		} else {
			others = append(others, row)
		}
	}
	c := &changesView{Rows: append(weaker, others...)}
	if len(c.Rows) > shownChanges {
		c.More = len(c.Rows) - shownChanges
		c.Rows = c.Rows[:shownChanges]
	}
	return c
}

// ofCycle returns the row of a change between two cycles of a catalogue.
func ofCycle(c Change) changeView {
	row := changeView{Tool: clean(c.Tool), Where: c.Fact, Class: c.Kind, Weaker: c.Kind == changeWeaker}
	switch {
	case row.Weaker:
		row.Class = ""
	case c.Kind == changeRedefined:
		row.Reason = "The title, the description, a schema or another part of the definition has changed."
		return row
	}
	if c.From+c.To != "" {
		row.Reason = cut(fmt.Sprintf("%s → %s", orAbsent(c.From), orAbsent(c.To)), 200)
	}
	return row
}

func orAbsent(text string) string {
	if text == "" {
		return absent
	}
	return clean(text)
}

func newToolView(t *listedTool) toolView {
	d, e := &t.doc, &t.effective
	asks, _ := decider(e)
	v := toolView{
		Name: clean(d.Name), Title: clean(d.Title), Risk: e.Risk.String(), First: firstSentence(d.Description),
		Description: clean(d.Description),
		Asks:        asks, Trust: e.ContentTrust.String(), Class: e.Reversibility.String(), Alone: mayRunAlone(e) &&
			(e.Effect != risk.ReadOnly || e.Sends), Deprecated: d.Deprecated != nil,
		Input: schemaText(d.InputSchema), Output: schemaText(d.OutputSchema), Server: clean(t.server()),
	}
	if v.Title == v.Name {
		v.Title = ""
	}
	for _, c := range pageClauses() {
		if words := c.words(d, e); len(words) > 0 {
			v.Clauses = append(v.Clauses, clauseView{Term: c.term, Words: words})
		}
	}
	for i, m := range d.FailureModes {
		if i == shownFailures {
			v.Failures = append(v.Failures, failureView{Code: "…"})
			break
		}
		v.Failures = append(v.Failures, failureView{Code: clean(m.Code), Class: m.Class.String(), Description: clean(m.Description),
			By: m.By.String()})
	}
	if t.entry == nil {
		return v
	}
	if !t.served {
		v.Status = string(t.entry.Status)
	}
	v.Problems = t.entry.Problems
	for _, f := range t.entry.Facts {
		if f.Declared == "" && f.Effective == "" {
			continue
		}
		f.Declared = orAbsent(f.Declared)
		f.Effective = orAbsent(f.Effective)
		v.Facts = append(v.Facts, f)
	}
	return v
}
