package compat

// objectAuthorizationClause compares whether the arguments decide who may call.
func objectAuthorizationClause() clause {
	return clause{
		rules: []Rule{
			{ID: "objectAuthorization.added", Class: Breaking,
				Summary: "The arguments of a call decide whether its caller may make it.",
				Reason:  "Calls for objects of others get permission_denied."},
			{ID: "objectAuthorization.removed", Class: Additive, Downgrade: true,
				Summary: "The arguments of a call no longer decide whether its caller may make it.",
				Reason:  "Every call still works. Callers may name objects of others too."},
		},
		compare: func(d *differ) {
			old, now := d.old.ObjectAuthorization, d.now.ObjectAuthorization
			ordered(d, "/objectAuthorization", old, now, compareBools(old, now), "objectAuthorization.added", "objectAuthorization.removed")
		},
	}
}
