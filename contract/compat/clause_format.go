package compat

// formatClause compares the version of the wire form.
func formatClause() clause {
	return clause{
		rules: []Rule{
			{ID: "format.changed", Class: Breaking, Unknown: true,
				Summary: "The version of the wire form changed.",
				Reason:  "Contracts in different wire forms cannot be compared."},
		},
		compare: func(d *differ) {
			if d.old.Format != d.now.Format {
				d.add("format.changed", "/format", d.old.Format, d.now.Format)
			}
		},
	}
}
