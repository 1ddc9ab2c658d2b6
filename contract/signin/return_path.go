package signin

import (
	"net/url"
	"strings"
	"unicode"
)

// ReturnParam is the query parameter with the path to return to after the
// sign-in.
const ReturnParam = "return_to"

// ReturnPath returns the given path with its query if it is a path of this
// server. Otherwise it returns home, for example for an address of another
// host. A redirect to the result never leaves the server, even if an attacker
// made the link to the sign-in.
func ReturnPath(to, home string) string {
	u, err := url.Parse(to)
	isPath := strings.HasPrefix(to, "/") && !strings.HasPrefix(to, "//") && !strings.ContainsFunc(to, isForeign)
	if err != nil || !isPath || u.Host != "" || u.Scheme != "" || len(to) > maxReturn {
		return home
	}
	return u.EscapedPath() + query(u)
}

func isForeign(r rune) bool { return r == '\\' || unicode.IsControl(r) }

// maxReturn bounds a path to return to, in bytes.
const maxReturn = 2000

func query(u *url.URL) string {
	if u.RawQuery == "" {
		return ""
	}
	return "?" + u.RawQuery
}
