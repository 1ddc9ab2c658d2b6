package compat

func nameKinds() []Kind {
	return []Kind{
		{ID: "name.changed", Class: Additive,
			Summary: "A tool has another name and keeps the old one as an alias.",
			Reason:  "The old name can still be called, and the outcome names the new one."},
		{ID: "name.replaced", Class: Breaking,
			Summary: "A tool has another name, and the old one is not an alias.",
			Reason:  "Callers of the old name get the error of an unknown tool."},
		{ID: "alias.added", Class: Additive,
			Summary: "The tool has one more alias.",
			Reason:  "One more name can be called."},
		{ID: "alias.removed", Class: Breaking,
			Summary: "An alias was removed.",
			Reason:  "Callers of that name get the error of an unknown tool."},
		{ID: "identity.changed", Class: Breaking,
			Summary: "Another name is the oldest one of a tool whose calls the guard deduplicates.",
			Reason:  "The oldest name is in the keys of calls. A call that is repeated after the change has its effect twice."},
		{ID: "deprecated.added", Class: Additive,
			Summary: "The tool is deprecated.",
			Reason:  "It works as before and announces its removal: MINOR by SemVer §7."},
		{ID: "deprecated.removed", Class: Additive,
			Summary: "The tool is no longer deprecated.",
			Reason:  "Callers may rely on it again."},
		{ID: "deprecated.changed", Class: Patch,
			Summary: "The notice of deprecation changed.",
			Reason:  "The tool was deprecated and still is."},
	}
}
