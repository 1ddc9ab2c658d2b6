package serve

import (
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/toolcontract/toolcontract/internal/origin"
)

// names has the hosts that the server answers to, and the origins whose pages
// may send requests.
type names struct {
	origin         string   // at which clients reach the server, with path
	path           string   // below which the server is; empty: none
	stripped       bool     // the proxy removes path
	public         *url.URL // nil: only the listener has a name
	hosts, origins map[string]bool
	pages          map[string]bool // origins of other pages
}

// newNames returns the names of a server at a public origin, if it has one, and
// of its listener if that is on a loopback address.
func newNames(scheme string, public *url.URL, listener net.Addr, allowed []string) names {
	n := names{
		origin: scheme + "://" + listener.String(), public: public,
		hosts: map[string]bool{}, origins: map[string]bool{}, pages: map[string]bool{},
	}
	if public != nil {
		n.path = public.Path
		n.origin = origin.Of(public.Scheme, public.Host) + n.path
		n.add(public.Scheme, public.Host)
	}
	if _, port, err := net.SplitHostPort(listener.String()); err == nil && isLoopback(listener) {
		for _, name := range []string{listener.String(), "127.0.0.1:" + port, "[::1]:" + port, "localhost:" + port} {
			n.add(scheme, name)
		}
	}
	for _, one := range allowed {
		n.pages[one] = true
	}
	return n
}

func (n names) add(scheme, host string) {
	n.hosts[origin.Host(scheme, host)] = true
	n.origins[origin.Of(scheme, host)] = true
}

// allowsHost reports whether a Host header names this server. A client may send
// the default port or omit it.
func (n names) allowsHost(host string) bool {
	host = strings.ToLower(host)
	return n.hosts[host] || n.hosts[origin.Host("https", host)] || n.hosts[origin.Host("http", host)]
}

// allowsOrigin reports whether a request comes from a program, which sends no
// Origin, or from an allowed page.
func (n names) allowsOrigin(h http.Header) bool {
	sent := h.Values("Origin")
	return len(sent) == 0 || len(sent) == 1 && (n.origins[sent[0]] || n.pages[sent[0]])
}

// check refuses requests for other hosts and requests from other sites.
func (n names) check(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !n.allowsHost(r.Host):
			http.Error(w, "This server does not have the name in the Host header.", http.StatusMisdirectedRequest)
		case !n.allowsOrigin(r.Header):
			http.Error(w, "Pages of this origin must not send requests to this server.", http.StatusForbidden)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

func isLoopback(a net.Addr) bool {
	host, _, err := net.SplitHostPort(a.String())
	return err == nil && origin.IsLoopback(host)
}
