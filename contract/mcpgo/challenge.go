package mcpgo

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/toolcontract/toolcontract/contract"
)

// metaKeyChallenges is the key of a result's _meta under which hosts look for
// WWW-Authenticate challenges (RFC 9110 §11.6.1) that a tool answers with: a list
// of strings. A tool cannot choose the HTTP status.
const metaKeyChallenges = "mcp/www_authenticate"

// ResourceMetadata sets the address of the server's OAuth 2.0 protected resource
// metadata (RFC 9728), which stands in the challenges that go with
// step_up_required, so that a host finds out where to authenticate: absolute,
// http or https. mcp-go serves the metadata, see its
// server.WithProtectedResourceMetadata. The last one given holds. Default:
// challenges name no address.
func ResourceMetadata(address string) Option {
	return optionFunc(func(c *config) { c.resourceMetadata = &address })
}

// isResourceMetadata reports whether a host may be told the address.
func isResourceMetadata(address string) bool {
	u, err := url.Parse(address)
	return err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https") && u.User == nil && u.String() == address
}

// stepUpChallenge says what a token has to be like (RFC 9470 §3).
func stepUpChallenge(lacks *contract.StepUp, resourceMetadata string) string {
	params := []string{`error="insufficient_user_authentication"`, `error_description="A more recent or stronger authentication is required"`}
	if lacks.ACR != "" {
		params = append(params, "acr_values="+quotedString(lacks.ACR))
	}
	if lacks.MaxAgeSeconds > 0 {
		params = append(params, "max_age="+quotedString(strconv.FormatInt(lacks.MaxAgeSeconds, 10)))
	}
	if resourceMetadata != "" {
		params = append(params, "resource_metadata="+quotedString(resourceMetadata))
	}
	return "Bearer " + strings.Join(params, ", ")
}

// quotedString is that of RFC 9110 §5.6.4.
func quotedString(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}
