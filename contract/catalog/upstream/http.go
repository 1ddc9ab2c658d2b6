package upstream

import "net/http"

// HTTP is a [Transport] to a server over streamable HTTP.
type HTTP struct {
	// URL is the endpoint, such as "https://example.com/mcp". Required.
	URL string
	// Header is sent with every request, such as Authorization. Nil: nothing.
	Header http.Header
	// Client makes the requests. Nil: a client of its own that follows no
	// redirects, because these would get the credentials too.
	Client *http.Client
}
