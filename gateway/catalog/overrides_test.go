package catalog_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/gateway/catalog"
	"github.com/toolcontract/toolcontract/risk"
)

func TestParseOverrides_ReportsEveryMistakeWithItsPlace(t *testing.T) {
	t.Parallel()
	inTool := func(members string) string {
		return `{"format":1,"servers":{"mail":{"tools":{"send":{"reason":"Why.",` + members + `}}}}}`
	}
	const at = "/servers/mail/tools/send"
	for name, test := range map[string]struct{ text, rule, where string }{
		"no JSON":              {`{`, "json.syntax", ""},
		"a duplicate":          {`{"format":1,"format":1}`, "json.duplicate", "/format"},
		"no object":            {`[]`, "overrides.type", ""},
		"no format":            {`{}`, "overrides.format", "/format"},
		"another format":       {`{"format":2}`, "overrides.format", "/format"},
		"an unknown member":    {`{"format":1,"server":{}}`, "overrides.member", "/server"},
		"servers as a list":    {`{"format":1,"servers":[]}`, "overrides.type", "/servers"},
		"the name of a server": {`{"format":1,"servers":{"Mail Server":{}}}`, "overrides.name", "/servers/Mail Server"},
		"a hostile name":       {`{"format":1,"servers":{"a\u001b[2J":{}}}`, "overrides.name", "/servers/a\ufffd[2J"},
		"the name of a tool": {`{"format":1,"servers":{"mail":{"tools":{"a b":{"reason":"x","veto":true}}}}}`, "overrides.name",
			"/servers/mail/tools/a b"},
		"a server's member": {`{"format":1,"servers":{"mail":{"all":{}}}}`, "overrides.member", "/servers/mail/all"},
		"no reason": {`{"format":1,"servers":{"mail":{"allTools":{"veto":true}}}}`, "overrides.reason",
			"/servers/mail/allTools/reason"},
		"nothing": {`{"format":1,"servers":{"mail":{"allTools":{"reason":"x"}}}}`, "overrides.nothing",
			"/servers/mail/allTools"},
		"an unknown risk":          {inTool(`"risk":"hihg"`), "overrides.value", at + "/risk"},
		"a number as an effect":    {inTool(`"effect":1`), "overrides.value", at + "/effect"},
		"an unknown class":         {inTool(`"reversibility":"maybe"`), "overrides.value", at + "/reversibility"},
		"an unknown trust":         {inTool(`"contentTrust":"none"`), "overrides.value", at + "/contentTrust"},
		"a dry run":                {inTool(`"dryRun":"required"`), "overrides.value", at + "/dryRun"},
		"confirmation when":        {inTool(`"confirmation":"when"`), "overrides.value", at + "/confirmation"},
		"confirmation upstream":    {inTool(`"confirmation":"upstream"`), "overrides.value", at + "/confirmation"},
		"a risk below its floor":   {inTool(`"risk":"low","effect":"destructive"`), "overrides.floor", at + "/risk"},
		"a member in another case": {inTool(`"Veto":true`), "overrides.member", at + "/Veto"},
		"a text as a veto":         {inTool(`"veto":"yes"`), "json.bind", at + "/veto"},
		"key fields alone":         {inTool(`"keyFields":["id"]`), "overrides.keyFields", at + "/keyFields"},
		"hidden text":              {inTool(`"description":"a\u202eb"`), "overrides.text", at + "/description"},
		"a version":                {inTool(`"version":"v1"`), "overrides.value", at + "/version"},
		"a digest":                 {inTool(`"digest":"md5:0"`), "overrides.value", at + "/digest"},
		"an audit event":           {inTool(`"auditEvent":"a b"`), "overrides.value", at + "/auditEvent"},
		"a schema":                 {inTool(`"inputSchema":true`), "overrides.type", at + "/inputSchema"},
		"a rate":                   {inTool(`"rateLimit":{"calls":0,"perSeconds":60}`), "overrides.value", at + "/rateLimit/calls"},
		"a part of a rate":         {inTool(`"rateLimit":{"calls":1}`), "overrides.value", at + "/rateLimit/perSeconds"},
		"a member of a rate": {inTool(`"rateLimit":{"calls":1,"perSeconds":1,"burst":1}`), "overrides.member",
			at + "/rateLimit/burst"},
		"a timeout":             {inTool(`"timeoutMs":-1`), "overrides.value", at + "/timeoutMs"},
		"a permission":          {inTool(`"permissions":["a b"]`), "overrides.permissions", at + "/permissions/0"},
		"a permission twice":    {inTool(`"permissions":["a","a"]`), "overrides.permissions", at + "/permissions/1"},
		"permissions as a text": {inTool(`"permissions":"a"`), "overrides.type", at + "/permissions"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := catalog.ParseOverrides([]byte(test.text))
			require.NotEmpty(t, catalog.Errors(err))
			found := catalog.Errors(err)
			require.Len(t, found, 1, "%v", err)
			assert.Equal(t, test.rule, found[0].Rule)
			assert.Equal(t, test.where, found[0].Where)
			assert.NotContains(t, err.Error(), "hihg", "an error holds no value of the file")
		})
	}
	_, err := catalog.ParseOverrides([]byte(inTool(`"risk":"hihg","effect":"x","contentTrust":"y"`)))
	assert.Len(t, catalog.Errors(err), 3)
	assert.Equal(t, `did you mean "high"?`, catalog.Errors(err)[0].Remedy)
}

func TestParseOverrides_AllToolsCountWhereAToolSetsNothing(t *testing.T) {
	t.Parallel()
	o, err := catalog.ParseOverrides([]byte(`{"format":1,"servers":{"mail":{
		"allTools":{"reason":"All.","contentTrust":"untrusted","permissions":["mail:use"],"risk":"high"},
		"tools":{"b":{"reason":"This one.","contentTrust":"trusted","permissions":[]}}}}}`))
	require.NoError(t, err)
	c := refresh(t, newCatalog(t, mail(listing(tool("a", `"annotations":{"readOnlyHint":true}`),
		tool("b", `"annotations":{"readOnlyHint":true}`))), withOverrides(o)))
	a, b := entry(t, c, "a"), entry(t, c, "b")
	assert.Equal(t, "untrusted", a.Fact(catalog.FactContentTrust).Effective)
	assert.Equal(t, "mail:use", a.Fact(catalog.FactPermissions).Effective)
	assert.Equal(t, "trusted", b.Fact(catalog.FactContentTrust).Effective)
	assert.Empty(t, b.Fact(catalog.FactPermissions).Effective)
	assert.Equal(t, "This one.", b.Effective.NoPermissions)
	assert.Equal(t, "high", b.Fact(catalog.FactRisk).Effective)
}

func TestOverride_ATimeBeyondTheLongestIsTheLongest(t *testing.T) {
	t.Parallel()
	const longest = 9223372036854 * time.Millisecond
	for written, want := range map[string]time.Duration{
		"1500":                1500 * time.Millisecond,
		"9223372036854":       longest,
		"9223372036855":       longest,
		"9223372036854775807": longest,
	} {
		var o catalog.Override
		require.NoError(t, json.Unmarshal([]byte(`{"reason":"x","timeoutMs":`+written+`}`), &o))
		assert.Equal(t, want, o.Timeout, written)
	}
}

func TestRefresh_ReportsOverridesOfToolsThatAreNotListed(t *testing.T) {
	t.Parallel()
	c := refresh(t, newCatalog(t, mail(listing(tool("send_mail", ""))),
		withOverrides(overrides(t, `{"send_mial":{"reason":"x","veto":true}}`))))
	require.Len(t, c.Servers[0].Problems, 1)
	assert.Equal(t, "override.tool", c.Servers[0].Problems[0].Rule)
	assert.Equal(t, "/tools/send_mial", c.Servers[0].Problems[0].Where)
	assert.Contains(t, c.Servers[0].Problems[0].Remedy, "send_mail")
}

func TestNew_OverridesOfAServerThatIsNoSource(t *testing.T) {
	t.Parallel()
	o, err := catalog.ParseOverrides([]byte(`{"format":1,"servers":{"mial":{"tools":{"send":{"reason":"x","veto":true}}}}}`))
	require.NoError(t, err)
	_, err = catalog.New(mail(listing()), catalog.Options{Overrides: o})
	require.NotEmpty(t, catalog.Errors(err))
	found := catalog.Errors(err)
	require.Len(t, found, 1)
	assert.Equal(t, "overrides.server", found[0].Rule)
	assert.Equal(t, "/servers/mial", found[0].Where)
	assert.Contains(t, found[0].Remedy, "mail")
	_, err = catalog.New(mail(listing()), catalog.Options{Advice: []catalog.Overrides{o}})
	assert.NoError(t, err, "the advice of others is about many servers")
}

// TestRefresh_AVetoFollowsARenamedTool lists a vetoed tool under a new name.
func TestRefresh_AVetoFollowsARenamedTool(t *testing.T) {
	t.Parallel()
	veto := withOverrides(overrides(t, `{"wipe":{"reason":"No agent needs it.","veto":true}}`))
	for origin, renamed := range map[string]string{
		"contract":    declared("erase", `"effect":"read-only","aliases":["wipe"]`),
		"annotations": tool("erase", `"annotations":{"risk_level":"read-only","aliases":["other","wipe"]}`),
	} {
		c := refresh(t, newCatalog(t, mail(listing(renamed, tool("other", ""))), veto))
		assert.Equal(t, catalog.Vetoed, entry(t, c, "erase").Status, origin)
		assert.Equal(t, risk.Forbidden, entry(t, c, "erase").Effective.Risk)
		assert.Equal(t, catalog.Served, entry(t, c, "other").Status)
		require.Len(t, c.Servers[0].Problems, 1)
		assert.Contains(t, c.Servers[0].Problems[0].Remedy, `"erase"`, "the override of an old name names the new one")
	}
}

// FuzzParseOverrides also checks that a file that is accepted can be used.
func FuzzParseOverrides(f *testing.F) {
	f.Add([]byte(`{"format":1,"servers":{"mail":{"allTools":{"reason":"a","contentTrust":"untrusted"},` +
		`"tools":{"send":{"reason":"b",` +
		`"effect":"external-publication","risk":"critical","confirmation":"always","idempotency":"managed","keyFields":["id"],` +
		`"permissions":["a:b"],"rateLimit":{"calls":1,"perSeconds":60},"timeoutMs":100,"auditEvent":"a.b","version":"1.0.0",` +
		`"title":"T",` +
		`"description":"D","inputSchema":{"type":"object"},"veto":false,"dryRun":"none"}}}}}`))
	f.Add([]byte(`{"format":1,"servers":{"mail":{"tools":{"send":{"reason":"b","veto":true}}}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		o, err := catalog.ParseOverrides(data)
		if err != nil {
			require.NotEmpty(t, catalog.Errors(err))
			return
		}
		o.Servers = map[string]catalog.ServerOverrides{"mail": o.Servers["mail"]}
		c, err := catalog.New(mail(listing(tool("send", ""))), catalog.Options{Overrides: o})
		require.NoError(t, err)
		cycle, err := c.Refresh(t.Context())
		require.NoError(t, err)
		e, ok := cycle.Entry("send")
		require.True(t, ok)
		for _, fact := range []string{catalog.FactRisk, catalog.FactEffect, catalog.FactContentTrust, catalog.FactConfirmation} {
			require.NotEmpty(t, e.Fact(fact).Effective)
		}
		require.True(t, e.Effective.Risk.AtLeast(e.Effective.Effect.Floor()))
	})
}

// FuzzParseState checks that a state that is accepted is written as it was
// read, so that the next cycle loses no part of it.
func FuzzParseState(f *testing.F) {
	path := f.TempDir() + "/state.json"
	require.NoError(f, state(3).WriteFile(path))
	whole, err := os.ReadFile(path)
	require.NoError(f, err)
	f.Add(whole)
	f.Add([]byte(strings.ReplaceAll(string(whole), "critical", "low")))
	f.Add([]byte(`{"format":1,"cycle":1,"tools":[],"digest":""}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := catalog.ParseState(data)
		if err != nil {
			require.NotEmpty(t, catalog.Errors(err))
			return
		}
		written, err := s.MarshalJSON()
		require.NoError(t, err)
		again, err := catalog.ParseState(written)
		require.NoError(t, err)
		require.Equal(t, s, again)
	})
}
