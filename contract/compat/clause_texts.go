package compat

import (
	"github.com/toolcontract/toolcontract/contract"
)

// The clauses of texts for people. Any change of such a text is a patch,
// whatever the text was.

func titleClause() clause {
	return textClause("title", func(d contract.Document) string { return d.Title },
		"The title changed.", "It is for people.")
}

func descriptionClause() clause {
	return textClause("description", func(d contract.Document) string { return d.Description },
		"The description changed.", "It is documentation. Review it, because models act on it.")
}

func categoryClause() clause {
	return textClause("category", func(d contract.Document) string { return d.Category },
		"The category changed.", "It is for filters and for people.")
}

func versionClause() clause {
	return textClause("version", func(d contract.Document) string { return d.Version },
		"The version changed.", "CheckVersions reports whether it was raised by enough.")
}

func confirmationReasonClause() clause {
	return textClause("confirmationReason", func(d contract.Document) string { return d.ConfirmationReason },
		"The reason why a person is never asked changed.", "It is for people.")
}

func noPermissionsClause() clause {
	return textClause("noPermissions", func(d contract.Document) string { return d.NoPermissions },
		"The reason why no permission is needed changed.", "It is for people. The permissions are enforced.")
}

func textClause(member string, text func(contract.Document) string, summary, reason string) clause {
	rule := member + ".changed"
	return clause{
		rules:   []Rule{{ID: rule, Class: Patch, Summary: summary, Reason: reason}},
		compare: func(d *differ) { d.text(rule, "/"+member, text(d.old.Document), text(d.now.Document)) },
	}
}
