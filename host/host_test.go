package host_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/host"
)

func TestHosts_EveryFactHasAMarkAndASource(t *testing.T) {
	t.Parallel()
	hosts, err := host.Read(host.HostsJSON)
	require.NoError(t, err)
	require.Greater(t, len(hosts), 10)
	assert.Equal(t, contract.MetaKeyContract, host.MetaKeyContract)
	facts, rules := 0, map[string]bool{}
	for _, h := range hosts {
		all := slices.Concat(h.Names, h.Facts, h.Capabilities)
		for _, m := range h.Modes {
			all = append(all, m.Fact)
		}
		for _, f := range all {
			assert.NotEmpty(t, f.Mark, h.Name)
			assert.NotEmpty(t, strings.TrimSpace(f.Source), h.Name)
			facts++
			rules[f.Rule] = true
		}
	}
	assert.Greater(t, facts, 80)
	for _, rule := range host.Rules() {
		assert.True(t, rules[rule], "no host has a fact for %s", rule)
	}
}

func TestHosts_AreReadStrictly(t *testing.T) {
	t.Parallel()
	const good = `{"format":1,"hosts":[{"name":"a","title":"A","version":"1","date":"2026-10","since":"2026-10",` +
		`"modes":[{"name":"m","rules":["*** ask"],"mark":"src","source":"s"}],"names":[{"form":"{tool}","does":"d","level":"info",` +
		`"mark":"src","source":"s"}],"facts":[{"topic":"call","does":"d","mark":"src","source":"s"}],` +
		`"capabilities":[{"name":"form","has":"yes","mark":"src","source":"s"}]}]}`
	_, err := host.Read([]byte(good))
	require.NoError(t, err)
	for what, change := range map[string][2]string{
		"a member that is unknown":     {`"format":1`, `"format":1,"more":2`},
		"another format":               {`"format":1`, `"format":2`},
		"text after the object":        {`]}]}`, `]}]}{}`},
		"a fact without a source":      {`"does":"d","mark":"src","source":"s"}],"cap`, `"does":"d","mark":"src","source":" "}],"cap`},
		"a fact without a mark":        {`"topic":"call","does":"d","mark":"src"`, `"topic":"call","does":"d","mark":""`},
		"a mark that is unknown":       {`"topic":"call","does":"d","mark":"src"`, `"topic":"call","does":"d","mark":"sure"`},
		"a mode without a source":      {`["*** ask"],"mark":"src","source":"s"`, `["*** ask"],"mark":"src","source":""`},
		"a mode that leaves tools out": {`*** ask`, `t** ask`},
		"an action that is unknown":    {`*** ask`, `*** think`},
		"a pattern of two hints":       {`*** ask`, `** ask`},
		"a rule that is unknown":       {`"topic":"call",`, `"topic":"call","rule":"host.nothing","level":"info",`},
		"a rule without a level":       {`"topic":"call",`, `"topic":"call","rule":"host.call.again",`},
		"a topic that is unknown":      {`"topic":"call"`, `"topic":"weather"`},
		"a date that is none":          {`"since":"2026-10"`, `"since":"October"`},
		"a capability that is unknown": {`"name":"form"`, `"name":"taste"`},
		"a capability that may be":     {`"has":"yes"`, `"has":"maybe"`},
		"a list that is missing":       {`"modes":[{"name":"m","rules":["*** ask"],"mark":"src","source":"s"}],`, ``},
		"a form without the tool":      {`{tool}`, `{server}`},
		"a name with other characters": {`"name":"a"`, `"name":"A a"`},
		"a host whose name another has": {`{"name":"a",`, `{"name":"a","title":"A","version":"1",` +
			`"date":"2026-10","since":"2026-10","modes":[],"names":[],"facts":[],` +
			`"capabilities":[]},{"name":"a",`},
	} {
		require.Contains(t, good, change[0], what)
		_, err := host.Read([]byte(strings.Replace(good, change[0], change[1], 1)))
		assert.Error(t, err, what)
	}
}

func TestFind_TakesTheFactsOfADate(t *testing.T) {
	t.Parallel()
	limit := func(list string) int { return find(t, list).Names[0].Limit }
	assert.Equal(t, 64, limit("codex@2026-08"))
	assert.Equal(t, 128, limit("codex@2026-10"))
	assert.Equal(t, 128, limit("codex@2026-10-02"))
	assert.Equal(t, 128, limit("codex"))
	assert.Equal(t, "no", find(t, "claude-code@2026-08").Has("url").Has)
	assert.Equal(t, "yes", find(t, "claude-code").Has("url").Has)
	assert.Empty(t, find(t, "cursor").Has("url").Has, "not known")

	hosts, err := host.Find("codex@2026-10, vscode")
	require.NoError(t, err)
	assert.Equal(t, []string{"codex", "vscode"}, []string{hosts[0].Name, hosts[1].Name})
	every, err := host.Find("")
	require.NoError(t, err)
	assert.Len(t, every, len(host.All())-2)
	assert.False(t, slices.ContainsFunc(every, func(h host.Host) bool { return h.Directory }))

	for _, list := range []string{"nonsense", "codex@", "codex@yesterday", "codex@2020-01", "codex,", "codex@2026-13"} {
		_, err := host.Find(list)
		assert.Error(t, err, list)
	}
}

func TestToolName_IsTheNameThatTheModelGets(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 45)
	for _, c := range []struct {
		host, server, tool, want string
		accepted                 bool
	}{
		{"codex", "mail", "drafts.send-now", "mcp__mail__drafts_send_now", true},
		{"vscode", "mail", "drafts.send-now", "mcp_mail_drafts_send-now", true},
		{"gemini", "mail", "drafts.send-now", "mcp_mail_drafts.send-now", true},
		{"claude-code", "mail", "drafts.send-now", "mcp__mail__drafts_send-now", true},
		{"claude-ai", "mail", "drafts_send", "mcp__mail__drafts_send", true},
		{"claude-ai", "mail", "drafts.send", "mcp__mail__drafts_send", false},
		{"claude-desktop", "mail", "drafts.send", "drafts_send", false},
		{"goose", "mail", "drafts.send", "drafts.send", true},
		{"vscode", "a-very-long-server-name", "send", "mcp_a-very-long-s_send", true},
		{"vscode", "twelveletter", strings.Repeat("b", 50), "mcp_twelveletter_" + strings.Repeat("b", 47), true},
		{"gemini", "twelveletter", strings.Repeat("b", 60), "mcp_twelveletter_" + strings.Repeat("b", 13) + "..." +
			strings.Repeat("b", 30), true},
		{"codex@2026-08", "twelveletter", strings.Repeat("b", 60), "mcp__twelveletter__" + strings.Repeat("b", 32) +
			"_000000000000", true},
		{"claude-ai", "twelveletter", strings.Repeat("b", 46), "mcp__twelveletter__" + strings.Repeat("b", 46), false},
	} {
		name, accepted := find(t, c.host).ToolName(c.server, c.tool)
		assert.Equal(t, c.want, name, "%s %s", c.host, c.tool)
		assert.Equal(t, c.accepted, accepted, "%s %s", c.host, c.tool)
	}
	for _, h := range append(host.All(), find(t, "codex@2026-08")) {
		name, accepted := h.ToolName("twelveletter", long)
		assert.True(t, accepted, h.Name)
		assert.True(t, strings.HasSuffix(name, long), "%s cuts 45 characters", h.Name)
	}
}

func TestLint_IsDeterministic(t *testing.T) {
	t.Parallel()
	var tools []json.RawMessage
	for _, text := range []string{`{"name":"b.c","inputSchema":{"anyOf":[]}}`, `{"name":"b-c"}`, `7`} {
		tools = append(tools, json.RawMessage(text))
	}
	first := host.Lint(host.Server{Tools: tools}, host.All()...)
	for range 5 {
		assert.Equal(t, first, host.Lint(host.Server{Tools: tools}, host.All()...))
	}
	assert.Empty(t, host.Lint(host.Server{}, host.All()...))
}

func ExampleFind() {
	hosts, err := host.Find("codex@2026-10,gemini")
	if err != nil {
		fmt.Println(err)
		return
	}
	show := func(h host.Host) {
		name, _ := h.ToolName("mail", "drafts.send-now")
		fmt.Println(h.Title, name)
	}
	for _, h := range hosts {
		show(h)
	}
	// Output:
	// Codex mcp__mail__drafts_send_now
	// Gemini CLI mcp_mail_drafts.send-now
}
