package contract

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/risk"
)

const (
	declaredPermissions  declaration[permissions] = "permissions"
	declaredDiscoverWith declaration[[]string]    = "discoverWith"
)

// permissions are a list, or the reason why there is none. They are one
// declaration, so that either replaces the other in the layer below.
type permissions struct {
	list       []string
	noneReason string
	none       bool
}

const (
	rulePermissionsMissing       = "permissions.missing"
	rulePermissionsForm          = "permissions.form"
	rulePermissionsContradiction = "permissions.contradiction"
	ruleSecurityPermissions      = "security.permissions"
	ruleDiscoverWith             = "discoverWith.contradiction"
)

func permissionsClause() clause {
	return clause{
		members: []string{"permissions", "noPermissions", "discoverWith"},
		keys: tagKeys{
			"permissions":   partOf(declaredPermissions, func(p *permissions, r *tagReader) { p.list = r.list() }),
			"noPermissions": partOf(declaredPermissions, func(p *permissions, r *tagReader) { p.none, p.noneReason = true, r.value }),
			"discoverWith":  listValue(declaredDiscoverWith),
		},
		base: func(b *Base, l *layer) {
			if b.Permissions != nil || b.NoPermissions != "" {
				declaredPermissions.set(l, permissions{list: slices.Clone(b.Permissions), none: b.NoPermissions != "",
					noneReason: b.NoPermissions})
			}
			listFromBase(l, declaredDiscoverWith, b.DiscoverWith)
		},
		check: checkPermissions,
		texts: func(c *checker) { c.text("noPermissions", c.doc.NoPermissions) },
		effective: func(d *Document) {
			if len(d.DiscoverWith) == 0 {
				d.DiscoverWith = slices.Clone(d.Permissions)
			}
		},
		rules: []BuildRule{
			{ID: rulePermissionsMissing, Summary: "A tool above low declares permissions, or why it needs none."},
			{ID: rulePermissionsForm, Summary: "A permission is a word of printable ASCII without commas, declared once."},
			{ID: rulePermissionsContradiction, Summary: "A tool has permissions or a reason for none, not both."},
			{ID: ruleSecurityPermissions, Summary: "From security level 4 up permissions are declared."},
			{ID: ruleDiscoverWith, Summary: "DiscoverWith lists some of the permissions."},
		},
	}
}

// Permissions adds permissions. A caller needs all of them.
func (b *Builder[In, Out]) Permissions(permissions ...string) *Builder[In, Out] {
	addPermissions(&b.verbs, permissions)
	return b
}

func addPermissions(l *layer, more []string) {
	p := declaredPermissions.of(l)
	p.list = append(slices.Clone(p.list), more...)
	declaredPermissions.set(l, p)
}

// NoPermissions declares why a tool above low risk needs no permissions. The
// reason is published.
func (b *Builder[In, Out]) NoPermissions(reason string) *Builder[In, Out] {
	setNoPermissions(&b.verbs, reason)
	return b
}

func setNoPermissions(l *layer, reason string) {
	p := declaredPermissions.of(l)
	p.none, p.noneReason = true, reason
	declaredPermissions.set(l, p)
}

// DiscoverWith adds permissions that show the tool in the list. Default: all
// permissions that a call needs.
func (b *Builder[In, Out]) DiscoverWith(permissions ...string) *Builder[In, Out] {
	add(declaredDiscoverWith, &b.verbs, permissions)
	return b
}

func checkPermissions(c *checker) {
	p, declared := declaredPermissions.in(&c.layer)
	d := &c.doc
	d.Permissions = p.list
	d.NoPermissions = p.noneReason
	d.DiscoverWith = declaredDiscoverWith.of(&c.layer)
	granted := c.words("permissions", d.Permissions)
	c.words("discoverWith", d.DiscoverWith)
	switch {
	case p.none && len(p.list) > 0:
		c.bad(rulePermissionsContradiction, "permissions", c.advice(string(declaredPermissions),
			"both permissions and NoPermissions are declared", "both permissions and noPermissions are declared"), "declare one of them")
	case p.none && strings.TrimSpace(p.noneReason) == "":
		c.bad(rulePermissionsMissing, "permissions", c.advice(string(declaredPermissions), "NoPermissions gives no reason",
			"noPermissions gives no reason"), "give the reason why the tool needs none")
	case !p.none && len(p.list) == 0 && d.Risk.IsValid() && d.Risk.AtLeast(risk.Medium):
		c.missing(declared, rulePermissionsMissing, "permissions", fmt.Sprintf("a tool at %s risk declares no permissions", d.Risk),
			c.advice(string(declaredPermissions), "declare Permissions, or NoPermissions with the reason",
				`write permissions:"domain:verb", or noPermissions with the reason`))
	}
	if d.SecurityLevel.NeedsPermissions() && len(p.list) == 0 {
		c.missing(declared, ruleSecurityPermissions, "securityLevel", "from level 4 up permissions are checked and none are declared",
			c.advice(string(declaredPermissions), "declare Permissions", `write permissions:"domain:verb"`))
	}
	for _, w := range d.DiscoverWith {
		if !granted[w] {
			c.bad(ruleDiscoverWith, "discoverWith", w+" is not one of the permissions", "list some of the permissions")
		}
	}
}

// words checks a list of permissions and returns them as a set.
func (c *checker) words(where string, list []string) map[string]bool {
	seen := map[string]bool{}
	for _, w := range list {
		if w == "" || strings.ContainsFunc(w, func(r rune) bool { return r <= ' ' || r == ',' || r > '~' }) {
			c.bad(rulePermissionsForm, where, "a permission is empty, or has a character other than printable ASCII without "+
				"blanks and commas", `use words such as "emails:send"`)
		} else if seen[w] {
			c.bad(rulePermissionsForm, where, w+" stands twice", "remove one")
		}
		seen[w] = true
	}
	return seen
}

const (
	declaredAuthorization declaration[bool] = "authorize"
	declaredAuthorize     declaration[bool] = "Authorize" // whether it was given a function
)

const ruleAuthorizeFunction = "authorize.function"

func objectAuthorizationClause() clause {
	return clause{
		members: []string{"objectAuthorization"},
		keys:    tagKeys{"authorize": flagValue(declaredAuthorization)},
		check:   checkObjectAuthorization,
		rules: []BuildRule{{ID: ruleAuthorizeFunction, Summary: "A tool that authorizes by its arguments has the function that " +
			"decides, from Authorize."}},
	}
}

// Authorize sets the function that decides whether a principal may make a call
// with these arguments, such as "only the customer's own invoices". A nil error
// allows the call. Any other error denies it with [CodePermissionDenied], and
// its text goes only to the audit log. An error that wraps guard.ErrUnavailable
// answers [CodeUnavailable] instead. A panic, or no answer within 10 seconds,
// denies the call.
//
// The function runs once the permissions are checked and the arguments are
// valid, before a person is asked. If the call waits for that person, it runs
// again afterwards. It runs for every call, including dry runs, replays of a
// recorded result, and calls that a person has approved meanwhile. The server's
// own policy (guard.WithAuthorizer) must allow the call too. The function may
// run concurrently, and gets its own copy of the input.
//
// The tool needs an authenticated caller, so p is never anonymous. Also deny
// calls that name an object that does not exist: otherwise callers can find out
// which objects others have.
func (b *Builder[In, Out]) Authorize(decide func(ctx context.Context, p Principal, in In) error) *Builder[In, Out] {
	declaredAuthorization.set(&b.verbs, true)
	declaredAuthorize.set(&b.verbs, decide != nil)
	b.authorize = decide
	return b
}

func checkObjectAuthorization(c *checker) {
	c.doc.ObjectAuthorization = declaredAuthorization.of(&c.layer)
	if c.doc.ObjectAuthorization && !declaredAuthorize.of(&c.layer) {
		c.bad(ruleAuthorizeFunction, "objectAuthorization", "there is no function that decides", "call Authorize with one")
	}
}
