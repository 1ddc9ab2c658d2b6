package adapter

import (
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/toolcontract/toolcontract/contract"
)

// metaKeyChallenges is the key of a result's _meta under which hosts look for
// WWW-Authenticate challenges (RFC 9110 §11.6.1), a list of strings. A tool
// cannot choose the HTTP status.
const metaKeyChallenges = "mcp/www_authenticate"

// isResourceMetadata reports whether the address may appear in a challenge.
func isResourceMetadata(address string) bool {
	u, err := url.Parse(address)
	return err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https") && u.User == nil && u.String() == address
}

// challenge returns a challenge for a token that would let the call run, or ""
// if no token would. resourceMetadata is empty if the server has none.
func challenge(o contract.Outcome, resourceMetadata string) string {
	var params []string
	switch {
	case o.StepUp != nil: // RFC 9470 §3
		params = append(params, `error="insufficient_user_authentication"`, `error_description="A more recent or stronger `+
			`authentication is required"`)
		if o.StepUp.ACR != "" {
			params = append(params, "acr_values="+quotedString(o.StepUp.ACR))
		}
		if o.StepUp.MaxAge > 0 {
			params = append(params, "max_age="+quotedString(strconv.FormatInt(int64(o.StepUp.MaxAge/time.Second), 10)))
		}
	case len(o.MissingPermissions) > 0 && resourceMetadata != "": // RFC 6750 §3.1
		params = append(params, `error="insufficient_scope"`, `error_description="The tool needs more scopes"`,
			"scope="+quotedString(strings.Join(o.MissingPermissions, " ")))
	default:
		return ""
	}
	if resourceMetadata != "" {
		params = append(params, "resource_metadata="+quotedString(resourceMetadata))
	}
	return "Bearer " + strings.Join(params, ", ")
}

// quotedString returns a quoted-string of RFC 9110 §5.6.4.
func quotedString(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}
