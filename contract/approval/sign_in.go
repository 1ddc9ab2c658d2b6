package approval

import (
	"errors"
	"net/url"
	"path"
	"regexp"
	"strings"
)

// ReturnParam is the query parameter with which the page links to the sign-in
// of [WithSignIn]. Its value is the path of the page that the visitor opened.
// Pass it to [Page.ReturnPath] before you redirect there.
const ReturnParam = "return_to"

// WithSignIn sets the address or the path of the server's own sign-in. The page
// links to it for people whom it does not know, and adds the parameter
// [ReturnParam]. After the sign-in, redirect to the result of [Page.ReturnPath]
// for its value, so that the person returns to the question:
//
//	http.Redirect(w, r, page.ReturnPath(r.FormValue(approval.ReturnParam)), http.StatusSeeOther)
//
// An address that is neither a path nor http or https is an error. Default: the
// page shows no link.
func WithSignIn(address string) Option {
	return optionFunc(func(p *Page) error {
		u, err := url.Parse(address)
		if err != nil || u.Scheme != "" && u.Scheme != "http" && u.Scheme != "https" || address == "" {
			return errors.New("approval: WithSignIn: the address is neither a path nor http or https")
		}
		p.signIn = u
		return nil
	})
}

// tokenForm matches the token of a question.
var tokenForm = regexp.MustCompile(`^[A-Za-z0-9._-]{1,1000}$`)

// ReturnPath returns the given path if it is that of a question or of this
// page's list. Otherwise it returns the path of the list. A redirect to the
// result therefore never leaves the page, even if an attacker made the link to
// the sign-in.
func (p *Page) ReturnPath(to string) string {
	token, ok := strings.CutPrefix(to, p.path+questionPath)
	if ok && tokenForm.MatchString(token) && path.Clean(to) == to {
		return to
	}
	return p.path
}

// signInFrom returns the address of the sign-in with the path to return to. It
// is empty without [WithSignIn].
func (p *Page) signInFrom(path string) string {
	if p.signIn == nil {
		return ""
	}
	u := *p.signIn
	query := u.Query()
	query.Set(ReturnParam, p.ReturnPath(path))
	u.RawQuery = query.Encode()
	return u.String()
}
