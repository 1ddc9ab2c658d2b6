package compat

// permissionsClause compares the permissions that a call needs.
func permissionsClause() clause {
	return clause{
		rules: []Rule{
			{ID: "permission.added", Class: Breaking,
				Summary: "One more permission is needed.",
				Reason:  "Callers without it get permission_denied, and do not see the tool in the list."},
			{ID: "permission.removed", Class: Additive, Downgrade: true,
				Summary: "A permission is no longer needed.",
				Reason:  "Every call still works. Callers without the permission may call too."},
		},
		compare: func(d *differ) {
			d.set("/permissions", d.old.Permissions, d.now.Permissions, "permission.added", "permission.removed", "")
		},
	}
}
