package catalog

import (
	"errors"
	"net/http"
	"net/url"
	"path"
	"strings"

	"github.com/toolcontract/toolcontract/contract/compat"
	"github.com/toolcontract/toolcontract/contract/guard"
)

// DefaultPagePath is the path of the page of [Handler].
const DefaultPagePath = "/contracts"

// A PageOption configures the page of [Handler].
type PageOption interface{ applyPage(*page) error }

type pageOptionFunc func(*page) error

func (f pageOptionFunc) applyPage(p *page) error { return f(p) }

// WithPagePath sets the path of the page. Default: [DefaultPagePath]. A path
// that does not begin with a slash, ends with one, or is not clean is an error.
func WithPagePath(at string) PageOption {
	return pageOptionFunc(func(p *page) error {
		if !strings.HasPrefix(at, "/") || at == "/" || path.Clean(at) != at || strings.ContainsAny(at, "{}? #") {
			return errors.New("catalog: WithPagePath: the path is not one such as " + DefaultPagePath)
		}
		p.path = at
		return nil
	})
}

// WithPageTitle sets the title, such as the name of the server. Default:
// "Contracts".
func WithPageTitle(title string) PageOption {
	return pageOptionFunc(func(p *page) error {
		p.title = clean(title)
		return nil
	})
}

// WithVisitors sets the function that authenticates visitors, such as people
// who have signed in (signin.Sessions.Principal). It is called for every
// request and must be safe for concurrent use. An error that wraps
// [guard.ErrUnavailable] answers 503; after any other error the visitor is
// anonymous. Default: the principal function of the guard. Nil is an error.
func WithVisitors(authenticate func(*http.Request) (guard.Principal, error)) PageOption {
	return pageOptionFunc(func(p *page) error {
		if authenticate == nil {
			return errors.New("catalog: WithVisitors: the function is nil; leave the option out to use that of the guard")
		}
		p.visitors = authenticate
		return nil
	})
}

// WithSignInAt links anonymous visitors to a sign-in. The address gets the
// query parameter "return_to", with the path of the page and its filters. An
// address that is neither a path nor http or https is an error. Default: there
// is no link.
func WithSignInAt(address string) PageOption {
	return pageOptionFunc(func(p *page) error {
		u, err := url.Parse(address)
		if err != nil || address == "" || u.Scheme != "" && u.Scheme != "http" && u.Scheme != "https" {
			return errors.New("catalog: WithSignInAt: the address is neither a path nor http or https")
		}
		p.signIn = func(to string) string {
			at := *u
			query := at.Query()
			query.Set("return_to", to)
			at.RawQuery = query.Encode()
			return at.String()
		}
		return nil
	})
}

// snapshotOption is what the page compares the tools with.
type snapshotOption struct {
	label    string
	snapshot compat.Snapshot
}

// WithSnapshot shows what has changed since a snapshot, which label names, such
// as "release 1.4". Default: the page shows no changes. With a catalogue, the
// page always shows the changes of its last cycle.
func WithSnapshot(label string, s compat.Snapshot) PageOption {
	return pageOptionFunc(func(p *page) error {
		p.snapshot = &snapshotOption{label: clean(label), snapshot: s}
		return nil
	})
}

// WithCatalog adds what a catalogue knows about the tools: their servers, the
// origin of each fact, the problems, and for auditors the tools that it does
// not serve. Default: the tools of one server, as they are declared. Nil is an
// error.
func WithCatalog(c *Catalog) PageOption {
	return pageOptionFunc(func(p *page) error {
		if c == nil {
			return errors.New("catalog: WithCatalog: the catalogue is nil; leave the option out for a page without one")
		}
		p.catalog = c
		return nil
	})
}
