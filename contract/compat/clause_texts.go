package compat

func textKinds() []Kind {
	return []Kind{
		{ID: "title.changed", Class: Patch,
			Summary: "The title changed.",
			Reason:  "It is for people."},
		{ID: "description.changed", Class: Patch,
			Summary: "The description changed.",
			Reason:  "It is documentation. Review it, because models act on it."},
		{ID: "category.changed", Class: Patch,
			Summary: "The category changed.",
			Reason:  "It is for filters and for people."},
		{ID: "version.changed", Class: Patch,
			Summary: "The version changed.",
			Reason:  "CheckVersions reports whether it was raised by enough."},
		{ID: "confirmationReason.changed", Class: Patch,
			Summary: "The reason why a person is never asked changed.",
			Reason:  "It is for people."},
		{ID: "noPermissions.changed", Class: Patch,
			Summary: "The reason why no permission is needed changed.",
			Reason:  "It is for people. The permissions are enforced."},
		{ID: "metadata.changed", Class: Patch,
			Summary: "A member of the metadata changed.",
			Reason:  "Metadata is for people, agents and filters. Nothing enforces it."},
		{ID: "auditEvent.changed", Class: Patch,
			Summary: "The audit event has another name.",
			Reason:  "Callers do not see it. Searches and alarms for the old name find nothing any more."},
	}
}
