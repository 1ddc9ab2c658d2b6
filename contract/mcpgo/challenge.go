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

// WithResourceMetadata says that the server is an OAuth 2.0 protected resource, whose
// permissions are scopes, and where its metadata is (RFC 9728): an absolute
// address, http or https. It stands in the challenges of step_up_required, and
// permission_denied has one too, so that a host finds out which token to get, and
// where. mcp-go serves the metadata, see its
// server.WithProtectedResourceMetadata. The last one given holds. Default: a
// challenge of step_up_required names no address, and permission_denied has none.
func WithResourceMetadata(address string) Option {
	return optionFunc(func(c *config) { c.resourceMetadata = &address })
}

// isResourceMetadata reports whether a host may be told the address.
func isResourceMetadata(address string) bool {
	u, err := url.Parse(address)
	return err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https") && u.User == nil && u.String() == address
}

// challenge says what a token has to be like for the call to be let in; "" where
// no token helps.
func (b *binding) challenge(o contract.Outcome) string {
	var params []string
	switch {
	case o.StepUp != nil: // RFC 9470 §3
		params = append(params, `error="insufficient_user_authentication"`, `error_description="A more recent or stronger authentication is required"`)
		if o.StepUp.ACR != "" {
			params = append(params, "acr_values="+quotedString(o.StepUp.ACR))
		}
		if o.StepUp.MaxAgeSeconds > 0 {
			params = append(params, "max_age="+quotedString(strconv.FormatInt(o.StepUp.MaxAgeSeconds, 10)))
		}
	case len(o.MissingPermissions) > 0 && b.resourceMetadata != "": // RFC 6750 §3.1
		params = append(params, `error="insufficient_scope"`, `error_description="The tool needs more scopes"`,
			"scope="+quotedString(strings.Join(o.MissingPermissions, " ")))
	default:
		return ""
	}
	if b.resourceMetadata != "" {
		params = append(params, "resource_metadata="+quotedString(b.resourceMetadata))
	}
	return "Bearer " + strings.Join(params, ", ")
}

// quotedString is that of RFC 9110 §5.6.4.
func quotedString(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}
