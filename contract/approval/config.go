package approval

import (
	"errors"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/internal/websession"
)

// DefaultPath is the path of a page without an address of its own.
const DefaultPath = "/approvals"

// A Config configures a [Page]. The zero Config is that of a page at
// [DefaultPath] whose address callers do not receive.
type Config struct {
	// Address is the absolute address, http or https, at which people reach the
	// page. The page is mounted at the path of the address. An address without
	// a path, or with more than a path, is an error. Default: the page is at
	// [DefaultPath], and callers do not receive an address.
	Address string
	// SignIn is the address or the path of the server's own sign-in. The page
	// links to it for people whom it does not know, and adds the parameter
	// signin.ReturnParam with the path of the page that the visitor opened.
	// After the sign-in, redirect to the result of signin.ReturnPath for its
	// value, so that the person returns to the question. An address that is
	// neither a path nor http or https is an error. Default: no link.
	SignIn string
	// FormKey authenticates the page's own forms. It has at least 32 random
	// bytes; a shorter key is an error. Use the same key on all replicas, so
	// that each accepts the forms of the others. Default: a random key for this
	// page only.
	FormKey []byte
	// OpenBrowser opens a new question in a browser, unless the client sends
	// its user to the question. Set it only if the person who decides sits at
	// the machine of the server. It receives the address, at most once for each
	// question, at most three times in quick succession, and after that once a
	// minute. It must not block and must be safe for concurrent use. Its error
	// is ignored, because the person can open the address in another way.
	// Default: the page opens no browser.
	OpenBrowser func(address string) error
}

// set sets the fields of a page. The error names every wrong field.
func (c Config) set(p *Page) error {
	var errs []error
	if c.Address != "" {
		errs = append(errs, p.setAddress(c.Address))
	}
	if c.SignIn != "" {
		errs = append(errs, p.setSignIn(c.SignIn))
	}
	if c.FormKey != nil {
		p.formKey = slices.Clone(c.FormKey)
		if len(c.FormKey) < websession.KeyBytes {
			errs = append(errs, errors.New("approval: Config.FormKey has fewer than 32 bytes"))
		}
	}
	if c.OpenBrowser != nil {
		p.browser = newBrowser(c.OpenBrowser)
	}
	return errors.Join(errs...)
}

func (p *Page) setAddress(address string) error {
	u, err := url.Parse(address)
	isAbsolute := err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https")
	if !isAbsolute || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return errors.New("approval: Config.Address is not absolute, not http or https, or has more than a path")
	}
	u.Path = strings.TrimRight(u.Path, "/")
	if u.Path == "" || strings.ContainsAny(u.Path, "{} ") || u.EscapedPath() != path.Clean(u.Path) {
		return errors.New("approval: Config.Address has no path of its own, such as " + DefaultPath)
	}
	p.address, p.path = u.String(), u.Path
	return p.origins.AddTrustedOrigin(u.Scheme + "://" + u.Host)
}

func (p *Page) setSignIn(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "" && u.Scheme != "http" && u.Scheme != "https" {
		return errors.New("approval: Config.SignIn is neither a path nor http or https")
	}
	p.signIn = u
	return nil
}
