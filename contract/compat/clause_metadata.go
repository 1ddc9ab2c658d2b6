package compat

import (
	"reflect"

	"github.com/toolcontract/toolcontract/internal/jsonptr"
)

// metadataClause compares the members of the metadata one by one.
func metadataClause() clause {
	return clause{
		rules: []Rule{
			{ID: "metadata.changed", Class: Patch,
				Summary: "A member of the metadata changed.",
				Reason:  "Metadata is for people, agents and filters. Nothing enforces it."},
		},
		compare: func(d *differ) {
			for _, name := range namesOf(d.old.Metadata, d.now.Metadata) {
				from, had := d.old.Metadata[name]
				to, has := d.now.Metadata[name]
				if had != has || !reflect.DeepEqual(from, to) {
					d.add("metadata.changed", jsonptr.Join("metadata", name), from, to)
				}
			}
		},
	}
}
