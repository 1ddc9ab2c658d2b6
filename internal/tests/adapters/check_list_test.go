package adapters_test

import (
	"encoding/json"
	"slices"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/testing/rules"
)

func listRules() []rules.Check[Harness] {
	return []rules.Check[Harness]{
		rule("list-definition", "a listed tool has the title, description and schemas of its contract", checkListDefinition),
		rule("list-hints", "a listed tool has the four hints of its contract as annotations", checkListHints),
		rule("list-tier-summary", "with the tier Summary, _meta has the summary of the contract", checkListSummary),
		rule("list-tier-full", "with the tier Full, _meta has the contract without its schemas", checkListFull),
		rule("list-tier-hints", "with the tier Hints, _meta has no contract", checkListTierHints),
		rule("list-order", "tools are listed by name, in the same bytes each time", checkListOrder),
		rule("list-permissions", "a tool is listed only to callers that may see it", checkListPermissions),
		rule("list-discover", "a tool is listed to callers that hold the permissions of DiscoverWith", checkListDiscover),
		rule("list-revoked", "each list counts the permissions that the caller has at that time", checkListRevoked),
		rule("list-empty", "a caller that may see no tool gets an empty list, not null", checkListEmpty),
		rule("list-forbidden", "a forbidden tool is listed to no caller", checkListForbidden),
		rule("list-aliases", "no alias is listed", checkListAliases),
		rule("list-cache", "a list that depends on the caller has the cacheScope private", checkListCache, inNewer),
	}
}

// A listed is one tool of a list.
type listed struct {
	Name         string                     `json:"name"`
	Title        string                     `json:"title"`
	Description  string                     `json:"description"`
	InputSchema  json.RawMessage            `json:"inputSchema"`
	OutputSchema json.RawMessage            `json:"outputSchema"`
	Annotations  map[string]json.RawMessage `json:"annotations"`
	Meta         map[string]json.RawMessage `json:"_meta"`
}

// A page is the result of one tools/list.
type page struct {
	Tools      json.RawMessage `json:"tools"`
	NextCursor string          `json:"nextCursor"`
	CacheScope string          `json:"cacheScope"`

	answer answer
	listed []listed
}

// page asks for one page.
func (c *client) page(cursor string) page {
	p := page{answer: c.do(listing(cursor))}
	p.answer.into(&p)
	p.answer.expect(json.Unmarshal(p.Tools, &p.listed) == nil, "a list of tools")
	return p
}

func (p page) names() []string {
	names := make([]string, len(p.listed))
	for i, t := range p.listed {
		names[i] = t.Name
	}
	return names
}

// only returns the single tool in a server's list.
func (p page) only() listed {
	p.answer.expect(len(p.listed) == 1, "one tool")
	return p.listed[0]
}

func checkListDefinition(t *checkRun) {
	tool := (&counter{}).doubling().MustBuild()
	p := t.serve([]*contract.Tool{tool}).client(nobody).page("")
	got := p.only()
	want := tool.Document()
	p.answer.expect(got.Title == want.Title, "the title %q", want.Title)
	p.answer.expect(got.Description == want.Description, "the description %q", want.Description)
	p.answer.expect(equalJSON(got.InputSchema, want.InputSchema), "the input schema %s", want.InputSchema)
	p.answer.expect(equalJSON(got.OutputSchema, want.OutputSchema), "the output schema %s", want.OutputSchema)
}

func checkListHints(t *checkRun) {
	c := &counter{}
	for _, tool := range []*contract.Tool{c.doubling().MustBuild(), c.noting().MustBuild()} {
		p := t.serve([]*contract.Tool{tool}).client(alice).page("")
		doc := tool.Document()
		hints := doc.Hints()
		for name, want := range map[string]bool{
			"readOnlyHint": hints.ReadOnly, "destructiveHint": hints.Destructive,
			"idempotentHint": hints.Idempotent, "openWorldHint": hints.OpenWorld,
		} {
			// The protocol defines a default for an absent hint.
			got, present := p.only().Annotations[name]
			if !present {
				got = t.encode(name == "destructiveHint" || name == "openWorldHint")
			}
			p.answer.expect(string(got) == string(t.encode(want)), "%s %v", name, want)
		}
	}
}

// shown returns the contract that a tier publishes, or nil if there is none.
func (t *checkRun) shown(tool *contract.Tool, tier contract.Tier) (page, json.RawMessage) {
	s := t.serve([]*contract.Tool{tool}, withSettings(func(s *Settings) { s.Tier = tier }))
	p := s.client(nobody).page("")
	return p, p.only().Meta[contract.MetaKeyContract]
}

func checkListSummary(t *checkRun) {
	tool := (&counter{}).doubling().MustBuild()
	summary := tool.Document().Summary()
	summary.Name = "" // it is the listed name
	p, got := t.shown(tool, contract.TierSummary)
	want := t.encode(summary)
	p.answer.expect(equalJSON(got, want), "the summary %s in _meta", want)
}

func checkListFull(t *checkRun) {
	tool := (&counter{}).doubling().MustBuild()
	p, got := t.shown(tool, contract.TierFull)
	doc := tool.Document()
	doc.InputSchema, doc.OutputSchema = nil, nil
	want := t.encode(doc)
	p.answer.expect(equalJSON(got, want), "the contract %s in _meta", want)
}

func checkListTierHints(t *checkRun) {
	p, got := t.shown((&counter{}).doubling().MustBuild(), contract.TierHints)
	p.answer.expect(got == nil, "no contract in _meta")
}

func checkListOrder(t *checkRun) {
	c := &counter{}
	var tools []*contract.Tool
	want := []string{"a.one", "b.two", "c.three", "d.four", "e.five"}
	for _, name := range []string{"d.four", "b.two", "e.five", "a.one", "c.three"} {
		tools = append(tools, reading(name, c.length).MustBuild())
	}
	client := t.serve(tools).client(nobody)
	first := client.page("")
	first.answer.expect(slices.Equal(first.names(), want), "the tools %v, in this order", want)
	for range 4 {
		again := client.page("")
		again.answer.expect(string(again.Tools) == string(first.Tools), "the same bytes as in the list before")
	}
}

func checkListPermissions(t *checkRun) {
	c := t.serve((&counter{}).all()).client(nobody)
	for who, want := range map[string][]string{
		nobody: {"calc.double"}, bob: {"calc.double"}, forged: {"calc.double"}, offline: {"calc.double"}, alice: {"calc.double",
			"notes.write"},
	} {
		p := c.as(who).page("")
		p.answer.expect(slices.Equal(p.names(), want), "the tools %v for the caller %q", want, who)
	}
}

func checkListDiscover(t *checkRun) {
	s := t.serve([]*contract.Tool{(&counter{}).noting().Permissions(mayBrowse).DiscoverWith(mayBrowse).MustBuild()})
	c := s.client(bob)
	p := c.page("")
	p.answer.expect(len(p.listed) == 0, "no tool for a caller without the permissions")
	s.allow(bob, mayBrowse)
	p = c.page("")
	p.answer.expect(slices.Equal(p.names(), []string{"notes.write"}), "the tool for a caller with the permission %s", mayBrowse)
	a := c.call("notes.write", note("x"))
	a.refused(contract.CodePermissionDenied)
}

func checkListRevoked(t *checkRun) {
	s := t.serve((&counter{}).all())
	c := s.client(alice)
	p := c.page("")
	p.answer.expect(slices.Contains(p.names(), "notes.write"), "the tool notes.write")
	s.allow(alice)
	p = c.page("")
	p.answer.expect(!slices.Contains(p.names(), "notes.write"), "no tool notes.write, because the permission was revoked")
	s.allow(alice, mayWrite)
	p = c.page("")
	p.answer.expect(slices.Contains(p.names(), "notes.write"), "the tool notes.write, because the permission was granted again")
}

func checkListEmpty(t *checkRun) {
	p := t.serve([]*contract.Tool{(&counter{}).noting().MustBuild()}).client(bob).page("")
	p.answer.expect(string(p.Tools) == "[]", `the member "tools":[]`)
}

func checkListForbidden(t *checkRun) {
	c := t.serve((&counter{}).all()).client(nobody)
	for _, who := range []string{nobody, bob, alice} {
		c.as(who).page("").answer.without("keys", "private key")
	}
}

func checkListAliases(t *checkRun) {
	p := t.serve((&counter{}).all(), withSettings(func(s *Settings) { s.Tier = contract.TierHints })).client(alice).page("")
	p.answer.without("calc.twice", "calc_twice", "notes.add", "notes_add")
}

func checkListCache(t *checkRun) {
	c := t.serve((&counter{}).all()).client(nobody)
	for _, who := range []string{nobody, alice} {
		p := c.as(who).page("")
		p.answer.expect(p.CacheScope == "private", `the cacheScope "private"`)
	}
}
