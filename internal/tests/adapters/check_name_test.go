package adapters_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/testing/rules"
)

func nameRules() []rules.Check[Harness] {
	return []rules.Check[Harness]{
		rule("names-dotted", "with the naming Dotted, tools are listed and called as their contracts name them", checkNamesDotted),
		rule("names-underscore", "with the naming Underscore, dots become underscores, and the name with dots is unknown",
			checkNamesUnderscore),
		rule("names-summary", "with the naming Underscore, the summary has the contract's own name, and so has the audit log",
			checkNamesSummary),
		rule("names-texts", "descriptions, hints, error texts and notices name tools as they are listed", checkNamesTexts),
	}
}

func aliasRules() []rules.Check[Harness] {
	return []rules.Check[Harness]{
		rule("alias-call", "a call by an alias runs the tool, and the outcome has the name to use", checkAliasCall),
		rule("alias-forms", "an alias can be called with dots and with underscores, under each naming", checkAliasForms),
		rule("alias-permissions", "an alias is refused as its tool is", checkAliasPermissions),
	}
}

func underscores(s *Settings) { s.Naming = contract.Underscore }

func checkNamesDotted(t *checkRun) {
	c := t.serve([]*contract.Tool{(&counter{}).doubling().MustBuild()}).client(nobody)
	p := c.page("")
	p.answer.expect(slices.Equal(p.names(), []string{"calc.double"}), "the tool calc.double")
	c.call("calc.double", `{"n":1}`).ran()
	c.call("calc_double", `{"n":1}`).unknown()
}

func checkNamesUnderscore(t *checkRun) {
	c := t.serve([]*contract.Tool{(&counter{}).doubling().MustBuild()}, withSettings(underscores)).client(nobody)
	p := c.page("")
	p.answer.expect(slices.Equal(p.names(), []string{"calc_double"}), "the tool calc_double")
	c.call("calc_double", `{"n":1}`).ran()
	c.call("calc.double", `{"n":1}`).unknown()
}

func checkNamesSummary(t *checkRun) {
	s := t.serve([]*contract.Tool{(&counter{}).doubling().MustBuild()}, withSettings(underscores),
		withSettings(func(s *Settings) { s.Tier = contract.TierSummary }))
	c := s.client(nobody)
	p := c.page("")
	var summary contract.Summary
	p.answer.expect(json.Unmarshal(p.only().Meta[contract.MetaKeyContract], &summary) == nil, "a summary in _meta")
	p.answer.expect(summary.Name == "calc.double", "the contract's name calc.double in the summary")
	c.call("calc_double", `{"n":1}`).ran()
	events := s.terminal()
	t.expect(len(events) == 1 && events[0].Tool == "calc.double", "the audit log to name the tool calc.double, but it has %s",
		t.encode(events))
}

func checkNamesTexts(t *checkRun) {
	lost := contract.Fatal("no_such_note", "There is no such note. Call notes.find first.")
	tools := []*contract.Tool{
		reading("notes.find", (&counter{}).length).Description("Finds a note for notes.open.").MustBuild(),
		reading("notes.open", func(context.Context, noteIn) (lengthOut, error) {
			return lengthOut{}, lost.Errorf("call notes.find").Hint("Call notes.find first.")
		}).Failures(lost).MustBuild(),
		reading("notes.get", (&counter{}).length).Aliases("notes.fetch").
			Deprecated(contract.Deprecation{Since: "1.0.0", ReplacedBy: "notes.open", Note: "Call notes.open."}).MustBuild(),
	}
	c := t.serve(tools, withSettings(underscores), withSettings(func(s *Settings) { s.Tier = contract.TierHints })).client(nobody)
	p := c.page("")
	p.answer.expect(strings.Contains(p.listed[0].Description, "notes_open"), "a description that names notes_open")
	a := c.call("notes_open", note("x"))
	o := a.refused("no_such_note")
	a.expect(o.Hint == "Call notes_find first.", "a hint that names notes_find")
	a.without("notes.find")
	a = c.call("notes_fetch", note("x"))
	o = a.status(contract.StatusOK)
	a.expect(o.UseName == "notes_get", "the name to use notes_get")
	a.expect(o.Deprecated != nil && o.Deprecated.ReplacedBy == "notes_open" && o.Deprecated.Note == "Call notes_open.",
		"a notice that names notes_open")
}

func checkAliasCall(t *checkRun) {
	n := &counter{}
	s := t.serve([]*contract.Tool{n.doubling().MustBuild()})
	a := s.client(nobody).call("calc.twice", `{"n":4}`)
	r := a.ran()
	a.expect(equalJSON(r.StructuredContent, json.RawMessage(`{"n":8}`)), "the result of the tool")
	a.expect(a.outcome().UseName == "calc.double", "the name to use calc.double")
	events := s.terminal()
	t.expect(len(events) == 1 && events[0].Decision == audit.Allow, "one call in the audit log, but it has %s", t.encode(events))
}

func checkAliasForms(t *checkRun) {
	for _, naming := range []contract.Naming{contract.Dotted, contract.Underscore} {
		c := t.serve([]*contract.Tool{(&counter{}).doubling().MustBuild()},
			withSettings(func(s *Settings) { s.Naming = naming })).client(nobody)
		for _, alias := range []string{"calc.twice", "calc_twice"} {
			a := c.call(alias, `{"n":1}`)
			a.ran()
			a.expect(a.outcome().UseName == naming.Listed("calc.double"), "the name to use %s", naming.Listed("calc.double"))
		}
	}
}

func checkAliasPermissions(t *checkRun) {
	n := &counter{}
	c := t.serve(n.all()).client(nobody)
	for _, who := range []string{nobody, bob} {
		byName := c.as(who).call("notes.write", note("x")).outcome()
		byAlias := c.as(who).call("notes.add", note("x"))
		byAlias.refused(byName.Code)
	}
	t.expect(n.runs() == 0, "that nothing runs")
}
