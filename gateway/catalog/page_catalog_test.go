package catalog_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/gateway/catalog"
	"github.com/toolcontract/toolcontract/guard"
)

// hostileText would leave its place on the page if it were not escaped.
const hostileText = `</dd><script>alert(1)</script>`

// anyone lets every caller call the tools of a gateway.
func anyone() contract.Base { return contract.Base{NoPermissions: "A test."} }

// described returns a tool with a contract in _meta.
func described(name, members string) string {
	return strings.Replace(declared(name, members), "{", `{"description":"Does something.",`, 1)
}

// gateway returns the page of a gateway behind which mail.send became weaker,
// and its catalogue.
func gateway(t *testing.T, visitors func(*http.Request) (guard.Principal, error)) (http.Handler, *catalog.Catalog) {
	t.Helper()
	mails := listing(
		tool("send", `"description":"Sends a mail.","annotations":{"risk_level":"external-publication",`+
			`"content_trust_risk":"trusted"}`),
		described("list", `"risk":"low","effect":"read-only","contentTrust":"sensitive","confirmation":"never"`),
		tool("wipe", `"description":"Deletes all mails.","annotations":{"destructiveHint":true}`),
	)
	web := listing(
		tool("fetch", `"title":"`+strings.ReplaceAll(hostileText, `"`, `\"`)+`","description":"`+hostileText+
			`","annotations":{"readOnlyHint":true,"openWorldHint":true}`),
	)
	c := newCatalog(t, []catalog.Source{{Name: "mail", Lister: mails}, {Name: "web", Lister: web}},
		withOverrides(overrides(t, `{"wipe":{"reason":"No agent needs it.","veto":true}}`)))
	refresh(t, c)
	mails.tools[0] = tool("send", `"description":"Sends a mail.","annotations":{"risk_level":"read-only",`+
		`"content_trust_risk":"trusted"}`)
	cycle := refresh(t, c)
	tools, err := served(cycle, anyone())
	require.NoError(t, err)
	set := protected(t, tools, byToken())
	h, err := catalog.Handler(set, catalog.PageOptions{Catalog: c, Title: "Gateway", Visitors: visitors})
	require.NoError(t, err)
	return h, c
}

func TestHandler_OfAGatewayHasTheOriginOfEachFact(t *testing.T) {
	t.Parallel()
	h, _ := gateway(t, nil)
	answer := listed(t, h, "/contracts.json", "bob")
	assert.ElementsMatch(t, []string{"list", "fetch"}, names(answer))
	for _, tool := range answer.Tools {
		assert.Equal(t, "served", tool.Status)
		assert.NotEmpty(t, tool.Facts)
		assert.Equal(t, map[string]string{"list": "mail", "fetch": "web"}[tool.Contract.Name], tool.Server)
	}
	body := shown(t, h, "/contracts", "bob")
	assert.Contains(t, body, "The origin of each fact")
	assert.Contains(t, body, "<td>hints</td>")
	assert.Contains(t, body, "&lt;script&gt;")
	assert.NotContains(t, body, "<script")
	assert.Equal(t, []string{"fetch"}, onPage(shown(t, h, "/contracts?server=web", "bob")))
}

func TestHandler_OfAGatewayShowsToolsThatItDoesNotServeOnlyToAuditors(t *testing.T) {
	t.Parallel()
	h, _ := gateway(t, nil)
	for token, want := range map[string]bool{"bob": false, "alice": false, "": false, "auditor": true} {
		body := shown(t, h, "/contracts", token)
		assert.Equal(t, want, strings.Contains(body, `<span class="tag alarm">quarantined</span>`), "as %s", token)
		assert.Equal(t, want, strings.Contains(body, `<span class="tag alarm">vetoed</span>`), "as %s", token)
		assert.Equal(t, want, strings.Contains(body, "wipe"), "as %s", token)
		assert.Equal(t, want, strings.Contains(body, `<span class="tag alarm">weaker</span>`), "as %s", token)
		raw := shown(t, h, "/contracts.json", token)
		assert.Equal(t, want, strings.Contains(raw, `"wipe"`), "as %s", token)
		assert.Equal(t, want, strings.Contains(raw, `"send"`), "as %s", token)
	}
}

func TestHandler_OfAGatewayHasTheChangesOfTheLastCycleAsJSON(t *testing.T) {
	t.Parallel()
	h, _ := gateway(t, nil)
	assert.Empty(t, listed(t, h, "/contracts.json", "bob").CycleChanges, "bob does not see the tool")
	found := listed(t, h, "/contracts.json", "auditor").CycleChanges
	assert.Contains(t, found, catalog.Change{
		Tool: "send", Server: "mail", Kind: "weaker", Fact: catalog.FactEffect, From: "external-publication", To: "read-only",
		Flag: catalog.Downgrade,
	})
}

func TestHandler_OfAGatewayFindsTheCombinationAcrossServers(t *testing.T) {
	t.Parallel()
	reader := listing(described("list", `"risk":"low","effect":"read-only","contentTrust":"sensitive","confirmation":"never"`))
	web := listing(tool("fetch", `"description":"Fetches.","annotations":{"readOnlyHint":true,"openWorldHint":true}`))
	chat := listing(described("post", `"risk":"medium","effect":"low-risk-write","contentTrust":"trusted","confirmation":"never",`+
		`"sends":true`))
	c := newCatalog(t, []catalog.Source{{Name: "mail", Lister: reader}, {Name: "web", Lister: web}, {Name: "chat", Lister: chat}})
	tools, err := served(refresh(t, c), anyone())
	require.NoError(t, err)
	h, err := catalog.Handler(protected(t, tools, byToken()), catalog.PageOptions{Catalog: c})
	require.NoError(t, err)
	assert.Contains(t, shown(t, h, "/contracts", "bob"), "web/fetch reads untrusted data, mail/list reads private data, chat/post "+
		"sends data out: chat/post must confirm every call.")

	g, err := guard.New(byToken(), guard.WithTrifectaConfirmation())
	require.NoError(t, err)
	_, err = g.Protect(tools...)
	assert.ErrorContains(t, err, "protect.trifecta", "the gateway refuses to serve them")
}

func TestCycleTools_KeepWhatTheServersDeclareAboutTheFlowOfData(t *testing.T) {
	t.Parallel()
	c := newCatalog(t, mail(listing(
		described("read", `"risk":"low","effect":"read-only","contentTrust":"untrusted","confirmation":"never","reads":["private",`+
			`"untrusted"],"sends":true`),
	)), withOverrides(overrides(t, `{"read":{"reason":"Checked.","contentTrust":"trusted"}}`)))
	tools, err := served(refresh(t, c), anyone())
	require.NoError(t, err, "an override of the trust does not contradict what the server declares")
	require.Len(t, tools, 1)
	assert.Equal(t, []contract.DataKind{contract.PrivateData}, tools[0].Document().Reads)
	assert.True(t, tools[0].Document().Sends)
}
