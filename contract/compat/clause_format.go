package compat

// formatClause compares the version of the wire form.
func formatClause() clause {
	return clause{
		rules: []Rule{
			{ID: "format.changed", Class: Breaking, Unknown: true,
				Summary: "The wire form is another one.",
				Reason:  "What another wire form means cannot be compared."},
		},
		compare: func(d *differ) {
			if d.old.Format != d.now.Format {
				d.add("format.changed", "/format", d.old.Format, d.now.Format)
			}
		},
	}
}
