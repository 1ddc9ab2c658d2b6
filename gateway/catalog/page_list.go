package catalog

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/exchange"
	"github.com/toolcontract/toolcontract/internal/trifecta"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// A listedTool is one tool that a visitor may see.
type listedTool struct {
	doc, effective contract.Document
	// entry is what the catalogue knows about the tool. Nil: nothing, or there
	// is no catalogue.
	entry *Entry
	// served is false if the catalogue does not serve the tool.
	served bool
}

func (t *listedTool) server() string {
	if t.entry == nil {
		return ""
	}
	return t.entry.Server
}

// list returns the tools that the visitor may see, sorted from the highest risk
// to the lowest, and then by name.
func (p *page) list(v visit) []*listedTool {
	entries := map[string]*Entry{}
	var all []*listedTool
	if p.Catalog != nil {
		for _, e := range p.Catalog.Cycle().Entries {
			entries[e.Name] = &e
		}
	}
	visible := v.set.VisibleTo(v.by)
	for _, t := range v.set.Tools() {
		doc := exchange.Of(v.set).Document(t.Name())
		if v.sees(visible, doc.Name, doc.Risk) {
			all = append(all, &listedTool{doc: doc, entry: entries[doc.Name], served: true})
		}
		delete(entries, doc.Name)
	}
	if v.isAuditor() {
		for _, e := range entries {
			doc := e.Effective
			doc.Name = e.Name
			all = append(all, &listedTool{doc: doc, entry: e})
		}
	}
	for _, t := range all {
		t.effective = t.doc.Effective()
	}
	slices.SortFunc(all, func(a, b *listedTool) int {
		return cmp.Or(cmp.Compare(b.effective.Risk, a.effective.Risk), cmp.Compare(a.doc.Name, b.doc.Name))
	})
	return all
}

// combination returns the roles in which the tools can leak data together.
// Tools that the catalogue does not serve have no role.
func combination(tools []*listedTool) trifecta.Combination {
	var all []trifecta.Subject
	for _, t := range tools {
		if t.served {
			all = append(all, trifecta.Subject{Server: t.server(), Contract: t.doc})
		}
	}
	return trifecta.Find(all...)
}

// changes returns the changes of the last cycle that the visitor may see.
func (p *page) changes(v visit, tools []*listedTool) []Change {
	if p.Catalog == nil {
		return nil
	}
	shown := map[string]bool{}
	for _, t := range tools {
		shown[t.doc.Name] = true
	}
	return slices.DeleteFunc(slices.Clone(p.Catalog.Cycle().Changes), func(c Change) bool {
		return !shown[c.Tool] && !v.isAuditor()
	})
}

const (
	// toolsOnPage is the number of tools that a page shows in full.
	toolsOnPage = 50
	// maxQuery bounds a filter, in bytes.
	maxQuery = 200
)

// The values of filters that don't come from an enum.
const (
	asksAlone  = "alone"
	asksPerson = "person"
	flowReads  = "untrusted"
	flowSecret = "private"
	flowSends  = "sends"
)

// A filter selects tools. Its fields are the parameters of the form. A field
// that is empty, or that has a value which the form doesn't offer, selects all.
type filter struct {
	Query, Risk, Trust, Asks, Flow, Server string

	page int // from 1
}

func filterOf(q url.Values, servers []string) filter {
	get := func(name string, allowed ...string) string {
		value := q.Get(name)
		if len(value) > maxQuery || len(allowed) > 0 && !slices.Contains(allowed, value) {
			return ""
		}
		return value
	}
	f := filter{
		Query: clean(get("q")), Risk: get("risk", levelNames()...), Trust: get("trust", trustNames()...),
		Asks: get("asks", asksAlone, asksPerson), Flow: get("flow", flowReads, flowSecret, flowSends),
	}
	if len(servers) > 0 {
		f.Server = get("server", servers...)
	}
	page, err := strconv.Atoi(q.Get("page"))
	if err != nil || page < 1 {
		page = 1
	}
	f.page = page
	return f
}

// IsSet reports whether f selects less than all tools.
func (f filter) IsSet() bool {
	f.page = 0
	return f != filter{}
}

// values returns f as a URL query that selects a page.
func (f filter) values(page int) string {
	q := url.Values{}
	for name, value := range map[string]string{"q": f.Query, "risk": f.Risk, "trust": f.Trust, "asks": f.Asks, "flow": f.Flow,
		"server": f.Server} {
		if value != "" {
			q.Set(name, value)
		}
	}
	if page > 1 {
		q.Set("page", strconv.Itoa(page))
	}
	return q.Encode()
}

func (f filter) matches(t *listedTool) bool {
	e := &t.effective
	switch {
	case f.Risk != "" && e.Risk.String() != f.Risk,
		f.Trust != "" && e.ContentTrust.String() != f.Trust,
		f.Server != "" && t.server() != f.Server,
		f.Asks == asksAlone && !mayRunAlone(e),
		f.Asks == asksPerson && runsAlone(e),
		f.Flow == flowSends && !e.Sends,
		f.Flow == flowReads && !slices.Contains(e.Reads, contract.UntrustedData),
		f.Flow == flowSecret && !slices.Contains(e.Reads, contract.PrivateData):
		return false
	}
	query := strings.ToLower(f.Query)
	return query == "" || strings.Contains(strings.ToLower(t.doc.Name), query) ||
		strings.Contains(strings.ToLower(t.doc.Title), query) || strings.Contains(strings.ToLower(t.doc.Description), query)
}

// runsAlone reports whether an agent may make every call of the tool without a
// person.
func runsAlone(e *contract.Document) bool {
	return e.Confirmation == contract.ConfirmationNever && e.Risk != risk.Forbidden
}

// mayRunAlone reports whether an agent may make some calls of the tool without
// a person: those that the tool doesn't ask about, or whose arguments waive the
// question.
func mayRunAlone(e *contract.Document) bool {
	waived := e.Resolves != nil && e.Resolves.Confirmation == contract.ConfirmationNever
	return e.Risk != risk.Forbidden && (waived || e.Confirmation == contract.ConfirmationWhen || runsAlone(e))
}

func levelNames() []string {
	var names []string
	for l := risk.Forbidden; l >= risk.Low; l-- {
		names = append(names, l.String())
	}
	return names
}

func trustNames() []string {
	var names []string
	for l := trust.Trusted; l <= trust.PromptInjectionProne; l++ {
		names = append(names, l.String())
	}
	return names
}
