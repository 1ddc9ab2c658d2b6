package approval

import (
	"path"
	"regexp"
	"strings"

	"github.com/toolcontract/toolcontract/contract/signin"
)

// tokenForm matches the token of a question.
var tokenForm = regexp.MustCompile(`^[A-Za-z0-9._-]{1,1000}$`)

// returnPath returns the given path if it is that of a question or of this
// page's list. Otherwise it returns the path of the list. A redirect to the
// result therefore never leaves the page, even if an attacker made the link to
// the sign-in.
func (p *Page) returnPath(to string) string {
	token, ok := strings.CutPrefix(to, p.path+questionPath)
	if ok && tokenForm.MatchString(token) && path.Clean(to) == to {
		return to
	}
	return p.path
}

// signInFrom returns the address of the sign-in with the path to return to. It
// is empty if the server has no sign-in.
func (p *Page) signInFrom(path string) string {
	if p.signIn == nil {
		return ""
	}
	u := *p.signIn
	query := u.Query()
	query.Set(signin.ReturnParam, p.returnPath(path))
	u.RawQuery = query.Encode()
	return u.String()
}
