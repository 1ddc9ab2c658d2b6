package serve

import (
	"crypto/tls"
	"errors"
	"net/url"
	"time"

	"github.com/toolcontract/toolcontract/internal/origin"
)

const (
	// DefaultBodyTimeout is how long a client may take to send a body.
	DefaultBodyTimeout = 30 * time.Second

	headerTimeout  = 5 * time.Second
	idleTimeout    = 2 * time.Minute
	maxHeaderBytes = 64 << 10
)

// An Option configures a [Server]. Nil is an error.
type Option interface{ apply(*config) error }

type optionFunc func(*config) error

func (f optionFunc) apply(c *config) error { return f(c) }

// A config is the result of the options.
type config struct {
	origin      *url.URL // nil: that of the listener
	origins     []string // of other sites, as browsers send them
	tls         *tls.Config
	bodyTimeout time.Duration
	drainDelay  time.Duration
	started     func(origin string)
}

func newConfig(opts []Option) (config, error) {
	c := config{bodyTimeout: DefaultBodyTimeout, started: func(string) {}}
	var errs []error
	for _, o := range opts {
		if o == nil {
			errs = append(errs, errors.New("serve: an option is nil; remove it"))
			continue
		}
		errs = append(errs, o.apply(&c))
	}
	return c, errors.Join(errs...)
}

// WithOrigin sets the origin at which clients and people reach the server, such
// as https://mail.example.com: scheme, host, and port unless it is the default
// one. It is needed if a proxy stands in front of the server, or if the
// listener is not on a loopback address. It must be https, except on loopback
// addresses, because http sends tokens and cookies in clear text. The proxy, or
// [WithTLS], terminates TLS.
//
// A server on a loopback address also answers to the names of that address,
// because a proxy on the same machine may use them. X-Forwarded headers are
// ignored. Default: the address of the listener.
func WithOrigin(address string) Option {
	return optionFunc(func(c *config) error {
		u, ok := origin.Parse(address)
		if !ok {
			return errors.New("serve: WithOrigin: it is not an origin; pass scheme, host and port, such as https://mail.example.com")
		}
		if !origin.IsSafe(u) {
			return errors.New("serve: WithOrigin: http sends tokens and cookies in clear text; pass an https origin")
		}
		c.origin = u
		return nil
	})
}

// WithAllowedOrigins allows pages of other sites to send requests, by their
// origins, such as https://inspector.example.com. It sends no CORS headers;
// the handler must do that. Default: only pages of this server.
func WithAllowedOrigins(origins ...string) Option {
	return optionFunc(func(c *config) error {
		for _, one := range origins {
			u, ok := origin.Parse(one)
			if !ok {
				return errors.New("serve: WithAllowedOrigins: an entry is not an origin; pass scheme, host and port, such as " +
					"https://inspector.example.com")
			}
			c.origins = append(c.origins, origin.Of(u.Scheme, u.Host))
		}
		return nil
	})
}

// WithTLS serves TLS with the configuration, which must have a certificate.
// HTTP/2 is added to it. Default: clear text.
func WithTLS(t *tls.Config) Option {
	return optionFunc(func(c *config) error {
		if t == nil || len(t.Certificates) == 0 && t.GetCertificate == nil && t.GetConfigForClient == nil {
			return errors.New("serve: WithTLS: the configuration has no certificate; set Certificates or GetCertificate")
		}
		c.tls = t.Clone()
		return nil
	})
}

// WithBodyTimeout sets how long a client may take to send the body of a
// request. Default: [DefaultBodyTimeout]. A duration that is not positive is an
// error.
func WithBodyTimeout(d time.Duration) Option {
	return optionFunc(func(c *config) error {
		if d <= 0 {
			return errors.New("serve: WithBodyTimeout: the duration is not positive; pass a positive one, or omit the option")
		}
		c.bodyTimeout = d
		return nil
	})
}

// WithDrainDelay sets how long the server still accepts requests after it has
// begun to end. /readyz answers 503 during that time, so that a load balancer
// stops sending requests first. Default: 0. A negative duration is an error.
func WithDrainDelay(d time.Duration) Option {
	return optionFunc(func(c *config) error {
		if d < 0 {
			return errors.New("serve: WithDrainDelay: the duration is negative; pass 0 or more")
		}
		c.drainDelay = d
		return nil
	})
}

// WithStarted sets a function that [Server.Serve] calls once, when it is about
// to answer requests and handles signals. It gets [Server.Origin]. Use it to
// print the address. It must not block. Default: none. Nil is an error.
func WithStarted(f func(origin string)) Option {
	return optionFunc(func(c *config) error {
		if f == nil {
			return errors.New("serve: WithStarted: the function is nil; pass one, or omit the option")
		}
		c.started = f
		return nil
	})
}
