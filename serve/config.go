package serve

import (
	"crypto/tls"
	"errors"
	"net"
	"time"

	"github.com/toolcontract/toolcontract/internal/origin"
)

const (
	defaultBodyTimeout = 30 * time.Second

	headerTimeout  = 5 * time.Second
	idleTimeout    = 2 * time.Minute
	maxHeaderBytes = 64 << 10
)

// A Config configures a [Server]. The zero Config is for a server on the
// loopback interface, in clear text.
type Config struct {
	// Origin is the origin at which clients and people reach the server, such
	// as https://mail.example.com: scheme, host, and port unless it is the
	// default one. It is required behind a proxy, or if the listener is not on
	// a loopback address. It must be https, except on loopback addresses,
	// because http sends tokens and cookies in clear text. The proxy terminates
	// TLS, or the server does if TLS is set.
	//
	// If the server shares the host with others, Origin ends with the server's
	// path, as in https://example.com/mail. The path's segments consist of
	// letters, digits and "-._~", and do not start with a dot. The section
	// "Below a path" of the package comment describes what changes.
	//
	// A server on a loopback address also answers to the names of that address,
	// because a proxy on the same machine may use them. X-Forwarded headers are
	// ignored. Empty means the address of the listener.
	Origin string
	// ProxyStrips means that the proxy removes Origin's path from a request's
	// path before it passes the request on. False means that the proxy leaves
	// the path, and the server answers only below it. True is an error if
	// Origin has no path.
	ProxyStrips bool
	// AllowedOrigins are the other origins whose pages may send requests, such as
	// https://inspector.example.com. The server answers the preflights of their
	// browsers and adds the CORS headers to each answer, so that the pages can
	// also read challenges and errors. They may send MCP's headers, Authorization,
	// Content-Type, Accept, Last-Event-ID and those of W3C Trace Context, but no
	// cookies. Default: only pages of this server.
	AllowedOrigins []string
	// TLS must have a certificate. The server adds HTTP/2 to it. Nil means
	// clear text.
	TLS *tls.Config
	// BodyTimeout is how long a client may take to send the body of a request.
	// Zero means 30 seconds. A negative duration is an error.
	BodyTimeout time.Duration
	// DrainDelay is how long the server still accepts requests after it has
	// started to shut down. /readyz answers 503 during that time, so that a
	// load balancer stops sending requests first. A negative duration is an
	// error.
	DrainDelay time.Duration
	// Started is called once, with [Server.Origin], when the server handles
	// signals and is about to answer requests. Use it to print the address. It
	// must not block. Nil means none.
	Started func(origin string)
}

// names returns the names of a server with a listener. The error names every
// invalid field.
func (c Config) names(listener net.Addr) (names, error) {
	var errs []error
	wrong := func(is bool, message string) {
		if is {
			errs = append(errs, errors.New("serve: Config."+message))
		}
	}
	public, ok := origin.ParseBase(c.Origin)
	wrong(c.Origin != "" && !ok, "Origin is not an origin; pass scheme, host and port, such as https://mail.example.com, and "+
		"the path of the server if it has one, such as https://example.com/mail")
	wrong((c.Origin == "" || ok && public.Path == "") && c.ProxyStrips,
		"ProxyStrips is set, and Origin has no path that a proxy could remove; leave it out")
	wrong(ok && !origin.IsSafe(public), "Origin: http sends tokens and cookies in clear text; pass an https origin")
	var allowed []string
	for _, one := range c.AllowedOrigins {
		u, ok := origin.Parse(one)
		wrong(!ok, "AllowedOrigins has an entry that is not an origin; pass scheme, host and port, such as "+
			"https://inspector.example.com")
		if ok {
			allowed = append(allowed, origin.Of(u.Scheme, u.Host))
		}
	}
	t := c.TLS
	wrong(t != nil && len(t.Certificates) == 0 && t.GetCertificate == nil && t.GetConfigForClient == nil,
		"TLS has no certificate; set Certificates or GetCertificate")
	wrong(c.BodyTimeout < 0, "BodyTimeout is negative; pass a positive duration, or 0 for 30 seconds")
	wrong(c.DrainDelay < 0, "DrainDelay is negative; pass 0 or more")
	if err := errors.Join(errs...); err != nil {
		return names{}, err
	}
	if public == nil && !isLoopback(listener) {
		return names{}, ErrNotLoopback
	}
	n := newNames(c.scheme(), public, listener, allowed)
	n.stripped = c.ProxyStrips
	return n, nil
}

func (c Config) scheme() string {
	if c.TLS != nil {
		return "https"
	}
	return "http"
}
