package pages_test

import (
	"context"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/internal/exchange"
	"github.com/toolcontract/toolcontract/internal/testing/chromiumtest"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/serve/pages"
	"github.com/toolcontract/toolcontract/trust"
)

type loan struct {
	Books  []string `json:"books" jsonschema:"title=Books to lend"`
	Note   string   `json:"note" jsonschema:"title=Note"`
	Days   int      `json:"days"`
	Filter string   `json:"filter"`
}

type lent struct {
	Lines []string `json:"lines" jsonschema:"title=Loans"`
	Holds []string `json:"holds" jsonschema:"title=Holds"`
}

// loans returns a function that asks about lending books and returns the
// question's address.
func loans(t *testing.T, page guard.Approver) (ask func(arguments string) string) {
	t.Helper()
	tool := contract.New("desk.lend", func(context.Context, loan) (lent, error) { return lent{}, nil }).
		Title("Lend books").Description("Lends books of the library to a reader.").Version("1.0.0").
		Effect(risk.Destructive).Trust(trust.Trusted).Permissions("mail:send").
		DryRun(dryrun.By(func(_ context.Context, in loan) (dryrun.Preview[lent], error) {
			return dryrun.Preview[lent]{Data: lent{Lines: in.Books, Holds: []string{}}, Warnings: []string{}}, nil
		})).MustBuild()
	g, err := guard.New(
		guard.WithPrincipal(guard.PrincipalFunc(func(context.Context) (guard.Principal, error) { return alice, nil })),
		guard.WithAudit(&audit.Recorder{}), guard.WithNamespace("desk"), guard.WithPeople(guard.PeopleOptions{Approver: page}),
	)
	require.NoError(t, err)
	t.Cleanup(func() { _ = g.Close(context.WithoutCancel(t.Context())) })
	set, err := g.Protect(tool)
	require.NoError(t, err)
	return func(arguments string) string {
		r, err := exchange.Of(set).Call(t.Context(), exchange.Request{Tool: "desk.lend", Arguments: json.RawMessage(arguments)})
		require.NoError(t, err)
		require.Equal(t, contract.CodeConfirmationPending, r.Outcome.Code, r.Text)
		return r.Outcome.URL
	}
}

const twoBooks = `{"books":["Dune","Ulysses"],"note":"For Anna.","days":14,"filter":""}`

// exact matches what a page shows after one click.
var exact = regexp.MustCompile(`(?s)<details>.*?</details>`)

func TestQuestion_ShowsTitlesAndRowsAndNoEmptyParts(t *testing.T) {
	t.Parallel()
	page, _ := mountPage(t, pages.ApprovalsConfig{})
	body := newBrowser(t).get(loans(t, page)(twoBooks), "X-Person", "dave").body
	shown := exact.ReplaceAllString(body, "")
	for _, text := range []string{
		"Books to lend", `<span class="note">books</span>`, "<li><pre>Dune</pre></li>", "<li><pre>Ulysses</pre></li>",
		"<pre>For Anna.</pre>", "<dt>days</dt>", "<pre>14</pre>", `<p class="note">empty</p>`,
	} {
		assert.Contains(t, shown, text)
	}
	for _, text := range []string{"warnings", "Holds", "<pre>[]", "&#34;Dune"} {
		assert.NotContains(t, shown, text)
	}
	details := strings.Join(exact.FindAllString(body, -1), "")
	for _, text := range []string{
		`<pre>[&#34;Dune&#34;,&#34;Ulysses&#34;]</pre>`, `<pre>&#34;&#34;</pre>`, `<dt>warnings</dt><dd><pre>[]</pre></dd>`,
	} {
		assert.Contains(t, details, text, "every value is one click away")
	}
}

// A value must not look like another one or break out of its place.
func TestThreat205_ValuesOfAQuestionDoNotLookLikeOthers(t *testing.T) {
	t.Parallel()
	page, _ := mountPage(t, pages.ApprovalsConfig{})
	ask := loans(t, page)
	for name, test := range map[string]struct{ note, shown string }{
		"blanks at the end":      {`"Anna  "`, `<pre>&#34;Anna  &#34;</pre>`},
		"a hidden character":     {`"An\u200bna"`, `\u200b`},
		"another direction":      {`"An\u202ena"`, `\u202e`},
		"markup":                 {`"</pre><h1>Yes"`, `&lt;/pre&gt;&lt;h1&gt;Yes`},
		"a text that is no list": {`"[\"Dune\"]"`, `<pre>[&#34;Dune&#34;]</pre>`},
	} {
		arguments := strings.Replace(twoBooks, `"For Anna."`, test.note, 1)
		body := newBrowser(t).get(ask(arguments), "X-Person", "dave").body
		assert.Contains(t, exact.ReplaceAllString(body, ""), test.shown, name)
		assert.NotContains(t, body, "<h1>Yes", name)
	}
}

func TestChromium_ShowsAQuestionAndRefreshesTheList(t *testing.T) {
	t.Parallel()
	for _, scripts := range []bool{false, true} {
		b := chromiumtest.Start(t)
		if scripts {
			b.RunScripts("Europe/Vienna")
		}
		l := loopback(t, pages.LoopbackConfig{})
		ask := loans(t, l)
		b.Open(l.Address(), "h1")
		assert.Contains(t, b.HTML("main"), "Nothing waits")
		question := ask(twoBooks)
		b.Await("Shift", ".questions") // the page reloads by itself
		assert.Contains(t, b.HTML(".questions"), "Books to lend: Dune, Ulysses")
		b.Open(question, "form")
		assert.Contains(t, b.HTML(".rows"), "Dune")
		assert.NotContains(t, b.HTML("main"), "<details open")
		if scripts {
			b.Evaluate(`document.querySelectorAll("summary").forEach((s) => s.click())`, nil)
			assert.Contains(t, b.HTML("details[open]"), `["Dune","Ulysses"]`)
		}
		other := loopback(t, pages.LoopbackConfig{})
		typed := deletionQuestion(t, other, "2025-17")
		b.Open(other.Address(), ".questions")
		b.Open(typed, "#word")
		b.Type("#word", "2025-17")
		b.Await("Enter", ".decided.yes")
		assert.Empty(t, b.Violations())
		assert.Empty(t, b.Errors())
	}
}
