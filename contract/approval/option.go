package approval

import (
	"errors"
	"net/url"
	"path"
	"slices"
	"strings"
)

// DefaultPath is the path of a page without [WithAddress].
const DefaultPath = "/approvals"

// minFormKey is the minimal length of a form key, in bytes.
const minFormKey = 32

// An Option configures a [Page].
type Option interface{ apply(*Page) error }

type optionFunc func(*Page) error

func (f optionFunc) apply(p *Page) error { return f(p) }

// WithAddress sets the absolute address, http or https, at which people reach
// the page. The page is mounted at the path of the address. An address without
// a path, or with more than a path, is an error. Default: the page is at
// [DefaultPath], and callers do not receive an address.
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

// WithFormKey sets the key that authenticates the page's own forms. It has at
// least 32 random bytes; a shorter key is an error. Use the same key on all
// replicas, so that each accepts the forms of the others. Default: a random key
// for this page only.
func WithFormKey(key []byte) Option {
	return optionFunc(func(p *Page) error {
		if len(key) < minFormKey {
			return errors.New("approval: WithFormKey: the key has fewer than 32 bytes")
		}
		p.formKey = slices.Clone(key)
		return nil
	})
}
