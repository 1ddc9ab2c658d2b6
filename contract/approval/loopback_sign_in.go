package approval

import (
	"net/http"
	"strings"

	"github.com/toolcontract/toolcontract/contract/signin"
)

const signInPath = "/sign-in"

// signIn opens a browser window that is signed in. A person may have the
// address of a question from the client, and that address signs no browser in
// (MCP 2025-11-25, elicitation, safe URL handling). The answer contains no
// secret: only a window on this machine gets it.
func (l *Loopback) signIn(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	switch {
	case l.origins.Check(r) != nil:
		l.say(w, http.StatusForbidden, notFromHere)
	case r.ParseForm() != nil:
		l.say(w, http.StatusBadRequest, notUnderstood)
	case !l.browser.signIns.Allow():
		l.say(w, http.StatusTooManyRequests, notice{
			Title: "Not now", Text: "Several windows were opened already. Look for them, or try again in a minute.",
		})
	case l.browser.open(l.signingIn(l.knownPath(r.PostForm.Get(signin.ReturnParam)))) != nil:
		l.say(w, http.StatusServiceUnavailable, notice{
			Title: "Not opened",
			Text:  "The browser cannot be opened. Open the address that the server printed to its standard error.",
		})
	default:
		l.say(w, http.StatusOK, notice{
			Title: "Look at the other window",
			Text:  "Another window was opened, in which you are signed in. You can close this one.",
		})
	}
}

// knownPath returns the given path if it is that of a question that this
// process was asked. Otherwise it returns the path of the list. This keeps a
// caller's text out of the address that the browser opens.
func (l *Loopback) knownPath(to string) string {
	to = l.returnPath(to)
	if token, ok := strings.CutPrefix(to, l.path+questionPath); ok && l.questions.has(token) {
		return to
	}
	return l.path
}

// signingIn returns an address of a path of the page. The address signs one
// browser in, once.
func (l *Loopback) signingIn(path string) string {
	return strings.TrimSuffix(l.address, l.path) + path + "?" + secretParam + "=" + l.secrets.add()
}
