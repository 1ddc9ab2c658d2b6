package approval

import (
	"errors"
	"net/url"
	"path"
	"slices"
	"strings"
)

// DefaultPath is where a page is mounted that has no [WithAddress].
const DefaultPath = "/approvals"

// minFormKey is the shortest form key, in bytes.
const minFormKey = 32

// An Option configures a [Page].
type Option interface{ apply(*Page) error }

type optionFunc func(*Page) error

func (f optionFunc) apply(p *Page) error { return f(p) }

// WithAddress sets the absolute address, http or https, under which people reach
// the page. Its path is where the page is mounted. Default: the page is at
// [DefaultPath], and callers are not told an address.
func WithAddress(address string) Option {
	return optionFunc(func(p *Page) error {
		u, err := url.Parse(address)
		if err != nil || u.Host == "" || u.User != nil || u.Scheme != "http" && u.Scheme != "https" || u.RawQuery != "" || u.Fragment != "" {
			return errors.New("approval: WithAddress: the address is not absolute, not http or https, or has more than a path")
		}
		if u.Path = strings.TrimRight(u.Path, "/"); u.Path == "" || strings.ContainsAny(u.Path, "{} ") || u.EscapedPath() != path.Clean(u.Path) {
			return errors.New("approval: WithAddress: the address has no path of its own, such as " + DefaultPath)
		}
		p.address, p.path = u.String(), u.Path
		return p.origins.AddTrustedOrigin(u.Scheme + "://" + u.Host)
	})
}

// WithSignIn sets where the page sends people whom it does not know: an address
// or a path of the author's. Default: the page says that they are not signed in.
func WithSignIn(address string) Option {
	return optionFunc(func(p *Page) error {
		if u, err := url.Parse(address); err != nil || u.Scheme != "" && u.Scheme != "http" && u.Scheme != "https" || address == "" {
			return errors.New("approval: WithSignIn: the address is neither a path nor http or https")
		}
		p.signIn = address
		return nil
	})
}

// WithFormKey sets the key that tells the page's own forms from others: at least
// 32 random bytes, the same on all replicas, so that any of them takes what
// another one's form sends. Default: a random key of this page's.
func WithFormKey(key []byte) Option {
	return optionFunc(func(p *Page) error {
		if len(key) < minFormKey {
			return errors.New("approval: WithFormKey: the key has fewer than 32 bytes")
		}
		p.formKey = slices.Clone(key)
		return nil
	})
}
