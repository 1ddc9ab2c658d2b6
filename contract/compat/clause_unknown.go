package compat

func formKinds() []Kind {
	return []Kind{
		{ID: "member.unknown", Class: Breaking, Unknown: true,
			Summary: "A member changed that this version does not know.",
			Reason:  "Its meaning is unknown."},
		{ID: "format.changed", Class: Breaking, Unknown: true,
			Summary: "The version of the wire form changed.",
			Reason:  "Contracts in different wire forms cannot be compared."},
	}
}
