package catalog_test

import (
	"fmt"
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/gateway/catalog"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// onPage returns the names of the tools that a page shows in full, in order.
func onPage(body string) []string {
	all := []string{}
	for _, m := range regexp.MustCompile(`<span class="name">([^<]*)</span>`).FindAllStringSubmatch(body, -1) {
		all = append(all, html.UnescapeString(m[1]))
	}
	return all
}

func TestThreat115_EachVisitorSeesWhatItsListShowsAndForbiddenNamesOnlyTheAuditor(t *testing.T) {
	t.Parallel()
	h := page(t, mailTools(), catalog.PageOptions{})
	all := []string{"help.show", "contacts.list", "inbox.read", "mail.send", "keys.read"}
	for token, want := range map[string][]string{
		"":          {"help.show"},
		"stranger":  {"help.show"},
		"bob":       {"help.show", "inbox.read"},
		"alice":     {"mail.send", "contacts.list", "help.show", "inbox.read"},
		"keyholder": {"help.show"},
		"auditor":   {"keys.read", "mail.send", "contacts.list", "help.show", "inbox.read"},
	} {
		t.Run("as "+token, func(t *testing.T) {
			t.Parallel()
			body, raw := shown(t, h, "/contracts", token), shown(t, h, "/contracts.json", token)
			assert.Equal(t, want, onPage(body))
			assert.Equal(t, want, names(listed(t, h, "/contracts.json", token)))
			for _, name := range all {
				assert.Equal(t, strings.Contains(strings.Join(want, " "), name), strings.Contains(body, name), "%s on the page", name)
				assert.Equal(t, strings.Contains(strings.Join(want, " "), name), strings.Contains(raw, name), "%s in the JSON", name)
			}
			for _, filter := range []string{"?q=keys", "?risk=forbidden", "?page=9", "?asks=person", "?flow=private"} {
				for _, path := range []string{"/contracts", "/contracts.json"} {
					if token != "auditor" {
						assert.NotContains(t, shown(t, h, path+filter, token), "keys.read")
					}
				}
			}
		})
	}
}

func TestHandler_ListsExactlyTheToolsOfToolsList(t *testing.T) {
	t.Parallel()
	set := protected(t, mailTools(), byToken())
	h, err := catalog.Handler(set, catalog.PageOptions{})
	require.NoError(t, err)
	for _, token := range []string{"bob", "alice"} {
		want := set().VisibleTo(people[token])
		for _, name := range names(listed(t, h, "/contracts.json", token)) {
			assert.True(t, want[name], name)
			delete(want, name)
		}
		assert.Empty(t, want, "the page leaves tools out")
	}
}

func TestHandler_WithoutASourceOfPrincipalsAnswers404(t *testing.T) {
	t.Parallel()
	h, err := catalog.Handler(protected(t, mailTools()[:1]), catalog.PageOptions{})
	require.NoError(t, err)
	for _, path := range []string{"/contracts", "/contracts/", "/contracts.json"} {
		status, _, body := get(t, h, path, "auditor")
		assert.Equal(t, http.StatusNotFound, status)
		assert.NotContains(t, body, "help.show")
	}
}

func TestHandler_AnswersErrorsOfTheServer(t *testing.T) {
	t.Parallel()
	status, _, _ := get(t, page(t, mailTools(), catalog.PageOptions{}), "/contracts", "down")
	assert.Equal(t, http.StatusServiceUnavailable, status, "the source of principals is down")
	h, err := catalog.Handler(func() *guard.Toolset { return nil }, catalog.PageOptions{})
	require.NoError(t, err)
	status, _, _ = get(t, h, "/contracts", "bob")
	assert.Equal(t, http.StatusServiceUnavailable, status, "the server is starting")
	status, _, _ = get(t, page(t, mailTools(), catalog.PageOptions{}), "/contracts/other", "bob")
	assert.Equal(t, http.StatusNotFound, status)
}

func TestHandler_RefusesWrongOptions(t *testing.T) {
	t.Parallel()
	set := protected(t, mailTools(), byToken())
	_, err := catalog.Handler(nil, catalog.PageOptions{})
	require.Error(t, err)
	_, err = catalog.Handler(set, catalog.PageOptions{SignInAt: "javascript:alert(1)"})
	require.Error(t, err)
}

func TestHandler_AuthenticatesByVisitorsAndLinksToTheSignIn(t *testing.T) {
	t.Parallel()
	h, err := catalog.Handler(protected(t, mailTools()[:1]), catalog.PageOptions{
		Visitors: func(r *http.Request) (guard.Principal, error) { return people[r.Header.Get("X-Session")], nil },
		SignInAt: "/sign-in?x=1",
	})
	require.NoError(t, err)
	assert.Contains(t, shown(t, h, "/contracts?risk=low", ""), `href="/sign-in?return_to=%2Fcontracts%3Frisk%3Dlow&amp;x=1"`)
	status, _, body := get(t, h, "/contracts.json", "")
	assert.Equal(t, http.StatusOK, status)
	assert.Contains(t, body, "help.show")
}

func TestHandler_IsolatesThePage(t *testing.T) {
	t.Parallel()
	h := page(t, mailTools(), catalog.PageOptions{})
	for _, target := range []string{"/contracts", "/contracts.json", "/contracts/page.css", "/contracts/style.css",
		"/contracts/icon.svg"} {
		status, header, body := get(t, h, target, "alice")
		require.Equal(t, http.StatusOK, status, target)
		policy := header.Get("Content-Security-Policy")
		assert.Contains(t, policy, "default-src 'none'")
		assert.NotContains(t, policy, "unsafe")
		assert.NotContains(t, policy, "script-src")
		assert.Equal(t, "no-store", header.Get("Cache-Control"))
		assert.NotContains(t, body, "<script")
		assert.NotRegexp(t, `\sstyle=`, body)
	}
}

func TestHandler_HostileTextIsEscapedAndCleaned(t *testing.T) {
	t.Parallel()
	hostile := `</pre><script>alert(1)</script><img src=x onerror=alert(1)> {{.}} " onclick="x`
	d := reads("evil.tool").NoPermissions("It is public.").Title(hostile).Description(hostile+". More.").Category(hostile).
		Metadata("k", hostile).ConfirmNever("").MustBuild()
	body := shown(t, page(t, []*contract.Tool{d}, catalog.PageOptions{Title: "a\u202eb<i>"}), `/contracts?q="><script>alert(2)</script>`,
		"bob")
	for _, bad := range []string{"<script", "<img", `onclick="x`, "\u202e", "<i>"} {
		assert.NotContains(t, body, bad)
	}
	body = shown(t, page(t, []*contract.Tool{d}, catalog.PageOptions{}), "/contracts", "bob")
	assert.Contains(t, body, "&lt;script&gt;alert(1)&lt;/script&gt;")
	for _, bad := range []string{"<script", "<img", `onclick="x`} {
		assert.NotContains(t, body, bad)
	}
}

func TestHandler_FiltersCombine(t *testing.T) {
	t.Parallel()
	h := page(t, mailTools(), catalog.PageOptions{})
	for query, want := range map[string][]string{
		"":                              {"mail.send", "contacts.list", "help.show", "inbox.read"},
		"risk=critical":                 {"mail.send"},
		"risk=low":                      {"contacts.list", "help.show", "inbox.read"},
		"risk=extreme":                  {"mail.send", "contacts.list", "help.show", "inbox.read"},
		"trust=sensitive":               {"contacts.list"},
		"asks=alone":                    {"contacts.list", "help.show", "inbox.read"},
		"asks=person":                   {"mail.send"},
		"flow=untrusted":                {"inbox.read"},
		"flow=private":                  {"contacts.list"},
		"flow=sends":                    {"mail.send"},
		"q=OUTSIDE":                     {"mail.send"},
		"q=Send+a":                      {"mail.send"},
		"q=inbox&risk=low":              {"inbox.read"},
		"q=inbox&risk=critical":         {},
		"server=other":                  {"mail.send", "contacts.list", "help.show", "inbox.read"},
		"q=" + strings.Repeat("x", 300): {"mail.send", "contacts.list", "help.show", "inbox.read"},
	} {
		t.Run(query, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, want, onPage(shown(t, h, "/contracts?"+query, "alice")))
			assert.Equal(t, want, names(listed(t, h, "/contracts.json?"+query, "alice")))
		})
	}
}

func TestHandler_AnswersWhetherToolsCanLeakTogether(t *testing.T) {
	t.Parallel()
	inbox := reads("inbox.read").Trust(trust.PromptInjectionProne).Permissions("mail:read").Reads(contract.PrivateData).MustBuild()
	post := reads("web.post").NoPermissions("It is public.").Reads(contract.PublicData).Sends()
	asks := reads("web.post").NoPermissions("It is public.").Reads(contract.PublicData).Sends().ConfirmAlways().MustBuild()
	help := reads("help.show").NoPermissions("It is public.").Reads(contract.PublicData).MustBuild()
	silent := reads("help.show").NoPermissions("It is public.").MustBuild()
	quiet := reads("help.list").NoPermissions("It is public.").MustBuild()
	for _, tt := range []struct {
		name                  string
		tools                 []*contract.Tool
		auditor, alice, whole string // the verdicts, and a text of the page for the auditor
	}{
		{"nothing is sent", []*contract.Tool{inbox, help}, "no", "unknown", "<strong>No</strong>. The contracts declare no tools"},
		{"a person confirms what is sent", []*contract.Tool{inbox, asks, help}, "no", "unknown",
			"<strong>No</strong>, not without a person. inbox.read reads untrusted data, inbox.read reads private data, web.post " +
				"sends data out: web.post confirms every call."},
		{"one tool does not declare what it reads", []*contract.Tool{inbox, asks, silent}, "unknown", "unknown",
			"<strong>Unknown:</strong> 1 tool does not declare what it reads."},
		{"two tools do not declare what they read", []*contract.Tool{help, asks, silent, quiet}[1:], "unknown", "unknown",
			"<strong>Unknown:</strong> 2 tools do not declare what they read."},
		{"data leaves without a person", []*contract.Tool{inbox, post.MustBuild(), silent}, "yes", "yes",
			"<strong>Yes.</strong> inbox.read reads untrusted data, inbox.read reads private data, web.post sends data out: web.post " +
				"must confirm every call."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := page(t, tt.tools, catalog.PageOptions{})
			assert.Contains(t, shown(t, h, "/contracts", "auditor"), tt.whole)
			for token, want := range map[string]string{"auditor": tt.auditor, "alice": tt.alice, "bob": tt.alice} {
				assert.Equal(t, want, listed(t, h, "/contracts.json", token).Verdict, token)
				body := shown(t, h, "/contracts", token)
				assert.Contains(t, body, `<figure class="flow `+want+`">`, token)
				assert.Equal(t, want == "no", strings.Contains(body, "<strong>No</strong>"), token)
			}
		})
	}
}

func TestHandler_AnswersNothingAboutToolsThatAVisitorDoesNotSee(t *testing.T) {
	t.Parallel()
	leaking := append(mailTools(), reads("web.fetch").NoPermissions("It is public.").Sends().MustBuild())
	h := page(t, leaking, catalog.PageOptions{})
	body := shown(t, h, "/contracts", "auditor")
	assert.Contains(t, body, "web.fetch must confirm every call")
	assert.Regexp(t, `<svg[^>]* role="img" aria-labelledby="flow-title flow-text"`, body)
	assert.Contains(t, body, "one tool reads untrusted data, one tool reads private data, and 2 tools send data out. All of it "+
		"passes through one model.")

	body = shown(t, h, "/contracts", "bob")
	assert.NotContains(t, body, "contacts.list", "the picture has only what the visitor sees")
	assert.Contains(t, body, "<strong>Unknown.</strong> You may not see all tools.")
	assert.NotContains(t, body, "not declare what", "the number of tools is that of a part")
	assert.False(t, listed(t, h, "/contracts.json", "bob").Trifecta.IsComplete())
	few, all := page(t, []*contract.Tool{leaking[0], leaking[5]}, catalog.PageOptions{}), shown(t, h, "/contracts", "")
	assert.Equal(t, shown(t, few, "/contracts", ""), all, "it does not show whether there are others")
}

func TestHandler_ThousandToolsStayBounded(t *testing.T) {
	t.Parallel()
	var tools []*contract.Tool
	for i := range 1000 {
		level := risk.Low
		if i%3 == 0 {
			level = risk.High
		}
		tools = append(tools,
			reads(fmt.Sprintf("many.tool%04d", i)).Risk(level).NoPermissions("It is public.").Description(strings.Repeat("word ",
				500)).ConfirmNever("A test.").MustBuild())
	}
	h := page(t, tools, catalog.PageOptions{})
	start := time.Now()
	body := shown(t, h, "/contracts", "bob")
	assert.Less(t, len(body), 1<<20, "one page")
	assert.Less(t, time.Since(start), time.Minute, "far above what it takes")
	assert.Len(t, onPage(body), 50)
	assert.Contains(t, body, "1000 tools, 1 to 50 shown.")
	assert.Contains(t, body, "Page 1 of 20")
	seen := map[string]bool{}
	for n := 1; n <= 20; n++ {
		for _, name := range onPage(shown(t, h, fmt.Sprintf("/contracts?page=%d", n), "bob")) {
			seen[name] = true
		}
	}
	assert.Len(t, seen, 1000, "the pages have every tool")
	assert.Equal(t, onPage(shown(t, h, "/contracts?page=20", "bob")), onPage(shown(t, h, "/contracts?page=999999", "bob")))
	assert.Contains(t, shown(t, h, "/contracts?risk=high&page=2", "bob"), `href="/contracts?risk=high"`)
}

// A tool that asks a person about only some calls counts as one that an agent
// may call alone, and does not protect against a leak.
func TestThreat169_PageShowsBothEndsOfAContract(t *testing.T) {
	t.Parallel()
	alone := contract.Least{Effect: risk.ReadOnly, Risk: risk.Low, Confirmation: contract.ConfirmationNever,
		Permissions: []string{}}
	asks := contract.Least{Risk: risk.High}
	declared := func(letter) contract.Resolution { return contract.Resolution{} }
	send := func(name string) *contract.Builder[letter, receipt] {
		return contract.New(name, ran[letter, receipt]).Description("Sends a mail.").Version("1.0.0").Effect(risk.HighRiskWrite).
			Risk(risk.Critical).Trust(trust.Trusted).Sends()
	}
	tools := func(name string, least contract.Least) []*contract.Tool {
		return []*contract.Tool{
			reads("inbox.read").Reads(contract.PrivateData, contract.UntrustedData).Trust(trust.PromptInjectionProne).
				Permissions("mail:read").ConfirmAlways().MustBuild(),
			send(name).Permissions("mail:send", "mail:read").Resolve(least, declared).MustBuild(),
		}
	}
	h := page(t, tools("mail.waived", alone), catalog.PageOptions{})
	body := shown(t, h, "/contracts", "alice")
	assert.Contains(t, body, "<li><code>mail.waived</code> with some arguments</li>")
	assert.Contains(t, body, "An agent may call 1 alone. A person confirms calls of 2.")
	assert.Contains(t, body, "A person confirms some calls, depending on the arguments.")
	for _, words := range []string{
		"The risk is at least low and at most critical.", "The effect is at least read-only and at most high-risk-write.",
		"The confirmation is at least never and at most always.", "There is no permission that every call needs.",
	} {
		assert.Contains(t, body, words)
	}
	assert.Equal(t, []string{"mail.waived"}, names(listed(t, h, "/contracts.json?asks=alone", "alice")))
	assert.Equal(t, "yes", listed(t, h, "/contracts.json", "alice").Verdict, "data can leave without a person")

	h = page(t, tools("mail.asking", asks), catalog.PageOptions{})
	body = shown(t, h, "/contracts", "alice")
	assert.NotContains(t, body, "<li><code>mail.asking</code> with")
	assert.Contains(t, body, "The risk is at least high and at most critical.")
	assert.Empty(t, names(listed(t, h, "/contracts.json?asks=alone", "alice")))
	assert.NotEqual(t, "yes", listed(t, h, "/contracts.json", "alice").Verdict)
}
