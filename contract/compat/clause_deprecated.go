package compat

// deprecatedClause compares the notices of deprecation.
func deprecatedClause() clause {
	return clause{
		rules: []Rule{
			{ID: "deprecated.added", Class: Additive,
				Summary: "The tool is deprecated.",
				Reason:  "It works as before and announces its removal: MINOR by SemVer §7."},
			{ID: "deprecated.removed", Class: Additive,
				Summary: "The tool is no longer deprecated.",
				Reason:  "Callers may rely on it again."},
			{ID: "deprecated.changed", Class: Patch,
				Summary: "The notice of deprecation changed.",
				Reason:  "The tool was deprecated and still is."},
		},
		compare: func(d *differ) {
			old, now := d.old.Deprecated, d.now.Deprecated
			if present(d, "/deprecated", old, now, "deprecated.added", "deprecated.removed") && *old != *now {
				d.add("deprecated.changed", "/deprecated", old, now)
			}
		},
	}
}
