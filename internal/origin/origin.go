// Package origin parses web origins (RFC 6454) and reports which addresses are
// safe for tokens and cookies.
package origin

import (
	"net/netip"
	"net/url"
	"regexp"
	"strings"
)

// Parse parses an http or https origin, with or without a trailing slash. It
// reports false for anything else, such as an address with a path or a user.
func Parse(text string) (*url.URL, bool) {
	u, err := url.Parse(strings.TrimSuffix(text, "/"))
	if err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, false
	}
	return u, *u == url.URL{Scheme: u.Scheme, Host: u.Host}
}

// basePath matches a path that needs no escaping in addresses, cookies and
// patterns. No segment begins with a dot, so none is .. or .well-known.
var basePath = regexp.MustCompile(`^(/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*$`)

// ParseBase is like Parse, but also accepts the path that a server is mounted
// at, such as https://mail.example.com/desk.
func ParseBase(text string) (*url.URL, bool) {
	u, err := url.Parse(strings.TrimSuffix(text, "/"))
	if err != nil || !basePath.MatchString(u.Path) {
		return nil, false
	}
	path := u.Path
	u, ok := Parse(strings.TrimSuffix(u.String(), path))
	if !ok {
		return nil, false
	}
	u.Path = path
	return u, true
}

// Of returns the origin of a scheme and a host as browsers send it (RFC 6454
// §6.2).
func Of(scheme, host string) string { return scheme + "://" + Host(scheme, host) }

// Host returns a host in lower case, without the default port of the scheme.
func Host(scheme, host string) string {
	port := ":80"
	if scheme == "https" {
		port = ":443"
	}
	return strings.TrimSuffix(strings.ToLower(host), port)
}

// IsSafe reports whether data sent to an address stays secret in transit: over
// https, or over http on a loopback address.
func IsSafe(u *url.URL) bool {
	return u.Scheme == "https" || u.Scheme == "http" && IsLoopback(u.Hostname())
}

// IsLoopback reports whether a host without a port is localhost or a loopback
// address.
func IsLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && ip.Unmap().IsLoopback()
}
