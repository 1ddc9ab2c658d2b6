package adapters_test

import (
	"encoding/base64"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/testing/rules"
)

func pageRules() []rules.Check[Harness] {
	return []rules.Check[Harness]{
		rule("page-complete", "the pages of a list together have each tool that the caller may see, once and in order",
			checkPageComplete, pages),
		rule("page-forbidden", "no page has a forbidden tool or an alias, and no page reveals by its cursor that it left one out",
			checkPageForbidden, pages),
		rule("cursor-opaque", "a cursor does not contain the name of a tool, in any encoding, and has the same length for each",
			checkCursorOpaque, pages),
		rule("cursor-forged", "a cursor that the server did not issue is refused as invalid parameters", checkCursorForged, pages),
		rule("cursor-elsewhere", "a cursor of another server is refused as invalid parameters", checkCursorElsewhere, pages),
	}
}

// freeTools returns names that any caller may see. They differ in length, and
// none is likely to occur in random text.
func freeTools() []string {
	return []string{"a.one", "bb.two", "ccc.three", "dddd.fourth_of_them", "eeeee.five", "f.six"}
}

// many returns tools whose names differ in length.
func (c *counter) many() []*contract.Tool {
	var tools []*contract.Tool
	for _, name := range freeTools() {
		tools = append(tools, reading(name, c.length).MustBuild())
	}
	return append(tools, c.noting().MustBuild(), c.forbidden().MustBuild())
}

func inPages(size int) option { return withSettings(func(s *Settings) { s.PageSize = size }) }

// all returns all pages of a list.
func (c *client) all() []page {
	all := []page{c.page("")}
	for {
		last := all[len(all)-1]
		if last.NextCursor == "" {
			return all
		}
		last.answer.expect(len(all) < 20, "a last page")
		all = append(all, c.page(last.NextCursor))
	}
}

func checkPageComplete(t *checkRun) {
	c := t.serve((&counter{}).many(), inPages(2)).client(nobody)
	free := freeTools()
	for who, want := range map[string][]string{nobody: free, alice: append(freeTools(), "notes.write")} {
		var got []string
		for _, p := range c.as(who).all() {
			p.answer.expect(len(p.listed) <= 2, "at most 2 tools on a page")
			got = append(got, p.names()...)
		}
		t.expect(slices.Equal(got, want), "the pages to have the tools %v for the caller %q, but they have %v", want, who, got)
	}
}

func checkPageForbidden(t *checkRun) {
	c := t.serve((&counter{}).many(), inPages(1), withSettings(func(s *Settings) { s.Tier = contract.TierHints })).client(nobody)
	for _, who := range []string{nobody, alice} {
		for _, p := range c.as(who).all() {
			p.answer.without("keys.read", "notes.add") // a cursor may have "keys" by chance, but no dot
		}
	}
}

func checkCursorOpaque(t *checkRun) {
	lengths := map[int]bool{}
	for _, p := range t.serve((&counter{}).many(), inPages(1)).client(nobody).all() {
		if p.NextCursor == "" {
			continue
		}
		lengths[len(p.NextCursor)] = true
		for _, form := range decodings(p.NextCursor) {
			for _, name := range append(freeTools(), "notes.write", "keys.read") {
				p.answer.expect(!strings.Contains(form, name), "a cursor that does not contain the name of a tool")
			}
		}
	}
	t.expect(len(lengths) == 1, "cursors of one length, so that it does not reveal the length of a name, but they have %d",
		len(lengths))
}

// decodings returns a cursor as it is, and what it encodes.
func decodings(cursor string) []string {
	all := []string{cursor}
	for _, e := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding} {
		if plain, err := e.DecodeString(cursor); err == nil {
			all = append(all, string(plain))
		}
	}
	return all
}

func checkCursorForged(t *checkRun) {
	c := t.serve((&counter{}).many(), inPages(1)).client(nobody)
	valid := c.page("").NextCursor
	t.expect(valid != "", "a cursor")
	middle := len(valid) / 2
	other := byte('A')
	if valid[middle] == other {
		other = 'B'
	}
	for _, cursor := range []string{
		"garbage", "a.one", "keys.read", "!", "0", "1", base64.StdEncoding.EncodeToString([]byte("a.one")),
		base64.RawURLEncoding.EncodeToString([]byte("a.one")), valid[:len(valid)-4], valid[:middle] + string(other) + valid[middle+1:],
	} {
		a := c.do(listing(cursor))
		a.expect(a.Error != nil && a.Error.Code == invalidParams, "the JSON-RPC error %d", invalidParams)
	}
}

func checkCursorElsewhere(t *checkRun) {
	cursor := t.serve((&counter{}).many(), inPages(1)).client(nobody).page("").NextCursor
	a := t.serve((&counter{}).many(), inPages(1)).client(nobody).do(listing(cursor))
	a.expect(a.Error != nil && a.Error.Code == invalidParams, "the JSON-RPC error %d", invalidParams)
}
