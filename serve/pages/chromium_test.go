package pages_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard/people"
	"github.com/toolcontract/toolcontract/internal/testing/chromiumtest"
	"github.com/toolcontract/toolcontract/serve/pages"
)

// shotsEnv names the environment variable with the folder for screenshots of
// the pages. If it is empty, the test takes none.
const shotsEnv = "APPROVAL_SHOTS"

const letterToMany = `{"to":["anna@example.com","max@example.com"],"subject":"Offer no. 4711 <final>","body":"Dear ` +
	`Anna, dear Max,\n\nplease find our offer attached. It is valid until the end of the month, and includes ` +
	`everything that we spoke about last week in the ` +
	`office.\n\nhttps://files.example.com/download/2f8a6d0e9c7b4f1fae1d2c3b4a5968778695a4b3c2d1e0f?expires=1780000000` +
	`\n\nBest regards\nAlice"}`

// A person decides in a browser: with the keyboard, without JavaScript, on a
// phone and on a desktop, in light and dark mode.
func TestChromium_PersonDecides(t *testing.T) {
	t.Parallel()
	b := chromiumtest.Start(t)
	var notified string
	l := loopback(t, pages.LoopbackConfig{
		Notify: func(_ people.PendingQuestion, address string) { notified = address },
	})
	d := newGuardedTool(t, l)
	look := func(page string) {
		for _, width := range []int{390, 1280} {
			for _, dark := range []bool{false, true} {
				b.Show(width, dark)
				assert.LessOrEqual(t, b.Width(), width, "%s scrolls sideways", page)
				if folder := os.Getenv(shotsEnv); folder != "" {
					b.Shoot(filepath.Join(folder, fmt.Sprintf("%s-%d-dark-%t.png", page, width, dark)))
				}
			}
		}
	}
	question := d.ask(letterToMany)
	home, _, _ := strings.Cut(l.Address(), "?")

	b.Open(home, "h1")
	assert.Contains(t, b.HTML("h1"), "Not signed in")
	look("signed-out")
	b.Open(notified, "form") // the page sends the browser on, with its SameSite=Strict cookie
	assert.Contains(t, b.HTML("main"), "Offer no. 4711 &lt;final&gt;")
	look("question")
	d.ask(lunch)
	b.Open(home, ".questions")
	look("list")
	other := loopback(t, pages.LoopbackConfig{})
	typed := deletionQuestion(t, other, "2025-17")
	b.Open(other.Address(), ".questions")
	b.Open(typed, "#word")
	look("typed")

	b.Open(question, "form")
	b.Press("button.yes", ".decided.yes")
	look("approved")
	assert.Equal(t, contract.StatusOK, d.call(letterToMany).Outcome.Status)
	b.Open(d.ask(lunch), "form")
	b.Press("button[value=no]", ".decided.no")
	look("declined")
	assert.Equal(t, contract.CodeConfirmationDeclined, d.call(lunch).Outcome.Code)
	assert.EqualValues(t, 1, d.sent.Load())
	b.Open(home, "h1")
	assert.Contains(t, b.HTML("main"), "Nothing waits")
	look("empty")
	b.Open(question+"x", "h1")
	look("gone")
	assert.Empty(t, b.Violations(), "the pages keep their own policy")
}

// Without the page's script, times are in UTC.
func TestChromium_TimesAreInTheReadersTimeZone(t *testing.T) {
	t.Parallel()
	b := chromiumtest.Start(t)
	l := loopback(t, pages.LoopbackConfig{})
	d := newGuardedTool(t, l)
	question := d.ask(lunch)
	b.Open(l.Address(), ".questions")
	for _, c := range []struct{ zone, pattern string }{
		{"", `>\d{1,2} [A-Z][a-z]+ 20\d\d, \d\d:\d\d:\d\d UTC<`},
		{"Asia/Tokyo", `title="\d.* UTC">[^<]*20\d\d[^<]*:\d\d:\d\d[^<]*GMT\+9<`},
	} {
		if c.zone != "" {
			b.RunScripts(c.zone)
		}
		b.Open(question, "form")
		assert.Regexp(t, `<time datetime="20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ"[^>]*`+c.pattern, b.HTML("form time"), c.zone)
	}
	b.Press("button.yes", ".decided.yes")
	assert.Contains(t, b.HTML(".decided time"), "GMT+9")
	assert.Empty(t, b.Violations())
}
