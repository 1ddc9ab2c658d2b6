package catalog_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/gateway/catalog"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/internal/testing/chromiumtest"
)

// shotsEnv is the environment variable with the folder for screenshots of the
// page. If it is empty, the test takes none.
const shotsEnv = "CATALOG_SHOTS"

// A person reads the page and filters it with the keyboard, without scripts of
// the page, on a phone and on a desktop, in light and in dark mode.
func TestChromium_PersonReadsTheContracts(t *testing.T) {
	t.Parallel()
	b := chromiumtest.Start(t)
	b.RunScripts("Europe/Berlin") // for axe-core; the page has no script
	tools := append(mailTools(), reads("web.fetch").NoPermissions("It is public.").Sends().MustBuild())
	visitor := "alice"
	visitors := func(*http.Request) (guard.Principal, error) { return people[visitor], nil }
	h, err := catalog.Handler(protected(t, tools, byToken()), catalog.PageOptions{
		Title: "Contracts of mail", Visitors: visitors, SignInAt: "/sign-in",
	})
	require.NoError(t, err)
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	behind, _ := gateway(t, visitors)
	other := httptest.NewServer(behind)
	t.Cleanup(other.Close)
	look := func(page string) {
		for _, width := range []int{390, 1280, 1600} {
			for _, dark := range []bool{false, true} {
				b.Show(width, dark)
				assert.LessOrEqual(t, b.Width(), width, "%s scrolls sideways", page)
				if width != 1600 {
					assert.Empty(t, b.Axe(), "%s at %d, dark %t", page, width, dark)
				}
				if folder := os.Getenv(shotsEnv); folder != "" {
					b.Shoot(filepath.Join(folder, fmt.Sprintf("%s-%d-dark-%t.png", page, width, dark)))
				}
			}
		}
	}

	b.Open(server.URL+"/contracts", "#tools")
	look("list")
	b.Evaluate(`document.querySelectorAll("details").forEach(d => d.open = true)`, nil)
	look("open")
	visitor = "auditor"
	b.Open(server.URL+"/contracts", "#tool-keys\\.read")
	look("auditor")
	b.Open(other.URL+"/contracts", "#tool-fetch")
	b.Evaluate(`document.querySelectorAll("details").forEach(d => d.open = true)`, nil)
	look("gateway")
	visitor = ""
	b.Open(server.URL+"/contracts?q=nothing-like-this", ".found")
	look("anonymous")

	// The keyboard alone reaches the filters, selects, and shows the result.
	visitor = "alice"
	b.Open(server.URL+"/contracts", "#tools")
	focused := func() string {
		var id string
		b.Evaluate(`document.activeElement.id || document.activeElement.textContent`, &id)
		return id
	}
	for range 40 {
		if b.Key("Tab"); focused() == "risk" {
			break
		}
	}
	require.Equal(t, "risk", focused())
	for range 3 { // any, forbidden, restricted, critical
		b.Key("ArrowDown")
	}
	for range 10 {
		if b.Key("Tab"); focused() == "Show" {
			break
		}
	}
	b.Await("Enter", "#tool-mail\\.send")
	assert.Contains(t, b.HTML("#risk"), `value="critical" selected`)
	assert.NotContains(t, b.HTML("#tools ~ *:last-of-type"), "inbox.read")
	for range 40 {
		if b.Key("Tab"); strings.HasPrefix(strings.TrimSpace(focused()), "mail.send") {
			break
		}
	}
	b.Key("Enter")
	var open bool
	b.Evaluate(`document.querySelector("#tool-mail\\.send").open`, &open)
	assert.True(t, open, "Enter opens the contract")
	assert.Empty(t, b.Violations())
	assert.Empty(t, b.Errors())
}
