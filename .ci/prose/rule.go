package main

import "regexp"

// A rule finds one form that the project does not use. The zero rule is not
// valid.
type rule struct {
	// Name identifies the rule in findings.
	Name string
	// Pattern matches the form. It is applied to text without line breaks.
	Pattern *regexp.Regexp
	// Allowed matches what Pattern also finds although it is fine. Nil allows
	// nothing.
	Allowed *regexp.Regexp
	// Instead says what to write.
	Instead string
	// Bad and Good are an example of each, which the test of the rules checks.
	Bad, Good string
}

// rules returns the rules, in a slice that belongs to the caller. The word for
// one thing is always the same, and it is the field's.
func rules() []rule {
	return []rule{
		{
			Name: "because",
			Pattern: regexp.MustCompile(`(?i), for (it|they|he|she|there|nothing|nobody|none|no one|neither|what|who|only|an?|the|` +
				`its|their|one|that|this|each|all|of) ([\w'-]+ ){0,5}?(is|are|was|were|has|have|had|may|` +
				`might|can|could|cannot|would|will|must|does|do|did|needs|knows|takes|makes|follows|holds|` +
				`begins|ends|tells|comes|goes|gives|stands|lacks)\b`),
			Instead: "because",
			Bad:     "It is refused, for nothing tells them apart.", Good: "It waits for the store.",
		},
		{
			Name: "who as a noun", Pattern: word(`(by|of|to|from|for|and|with|as|that|is|than|on|but|or|at) who|whoever`),
			Instead: "a noun: callers that …, the principal",
			Bad:     "It is for who writes tools.", Good: "It is for authors that write tools.",
		},
		{
			Name: "no subject",
			Pattern: regexp.MustCompile(`(^|[.;:] )(Who|What|who) ([\w'-]+ ){1,8}?(is|are|has|have|may|can|must|does|needs|says|` +
				`stands|follows|means|counts|lacks|comes)\b[^?]*([.;:]|$)`),
			Instead: "a noun as the subject: a refused call, implementations must …",
			Bad:     "What is refused is told why.", Good: "Refused calls say why.",
		},
		{
			Name: "word of speech",
			Pattern: regexp.MustCompile(`(?i)\b(an?|the|every|his|her|person's|client's|user's) (yes|say-so)\b|\b(a|an?|person's|` +
				`client's|user's|one) no\b($|[ .,;:](is|was|are|ends?|to|that|by|in|after|counts?|until|` +
				`than|means|or|and|of|\W|$))|\b(is|as|counts as|for) a no\b`),
			Instead: "declined, approved",
			Bad:     "A no is remembered.", Good: "A declined call is remembered.",
		},
		{
			Name: "keep a contract",
			Pattern: word(`(keep|keeps|kept|keeping) (a |an |the |its |their |this |each |every |` +
				`all )?(\w+ )?(contract|clause|promise|rule|limit)s?|(contract|clause|promise|rule)s? (is|` +
				`are|was|were|be|that it is) kept|what is kept`),
			Instead: "enforce",
			Bad:     "The guard keeps contracts.", Good: "The guard enforces contracts.",
		},
		{
			Name:    "say and tell",
			Pattern: word(`say|says|said|saying|tell|tells|told|telling|taken down|take down|takes down|unsaid`),
			Instead: "declare, set, report, record, state, name, mean",
			Bad:     "The contract says so.", Good: "The contract declares it.",
		},
		{
			Name: "seam", Pattern: word(`seams?`), Instead: "binding, adapter",
			Bad: "The seam to mcp-go.", Good: "The adapter of mcp-go.",
		},
		{
			Name:    "probe",
			Pattern: word(`probes?|probed|probing|inquir(y|ies)`),
			Instead: "a listing call that finds the owner; a check",
			Allowed: word(`(caller|call|request)s? per \w+ probes|packages? probe`),
			Bad:     "A probe finds it.", Good: "A listing call finds it.",
		},
		{
			Name:    "strict and weak",
			Pattern: word(`wilder|milder|mildest|wildest|mild|wild`),
			Instead: "stricter, weaker; of risk and effect: higher, lower",
			Bad:     "A milder contract.", Good: "A weaker contract.",
		},
		{
			Name:    "least",
			Pattern: word(`least`),
			Allowed: word(`at least|least recently used|least privilege|least nested`),
			Instead: "minimal value, smallest",
			Bad:     "The least of them.", Good: "At least one of them.",
		},
		{
			Name: "anonymous", Pattern: word(`nobody`), Instead: "anonymous, no principal, no caller",
			Bad: "A call by nobody.", Good: "An anonymous call.",
		},
		{
			Name: "except", Pattern: word(`but for`), Instead: "except",
			Bad: "All but for one.", Good: "All except one.",
		},
		{
			Name:    "author",
			Pattern: word(`function of the author's|functions of the author's|of the author's|the author's own`),
			Instead: "the tool author's function",
			Bad:     "A function of the author's.", Good: "A function of the tool author.",
		},
		{
			Name: "slot", Pattern: word(`places? to run|a place for (it|each)`), Instead: "a concurrency slot",
			Bad: "It waits for a place to run.", Good: "It waits for a concurrency slot.",
		},
		{
			Name:    "comes back",
			Pattern: word(`comes? back|came back|looked at|brings|brought`),
			Instead: "retried, validated, carries",
			Bad:     "The client brings the state.", Good: "The client carries the state.",
		},
		{
			Name: "facts", Pattern: word(`marker facts|contract\.Facts|the same facts`), Instead: "tags, declarations",
			Bad: "The same facts as struct tags.", Good: "The same declarations as struct tags.",
		},
		{
			Name: "elided noun", Pattern: regexp.MustCompile(`\b(is|are) (the |an? )?[\w-]+'s([.;,:]| in the )`),
			Instead: "the noun: CallID is the call's id",
			Bad:     "CallID is the call's in the audit log.", Good: "CallID is the call's id in the audit log.",
		},
		{
			Name: "have somebody do",
			Pattern: word(`(has|have|having) (a|an|the|its|their) (person|people|principal|caller|client|approver|` +
				`audit log|guard|calls?|clauses?) (\w+ly )?(agree|hold|ask|decide|answer|wait|asked|` +
				`answered|audited|refused)`),
			Instead: "the actor as the subject: asks a person to approve, writes to the audit log",
			Bad:     "Confirm has a person agree to the call.", Good: "Confirm asks a person to approve the call.",
		},
		{
			Name:    "hold to",
			Pattern: word(`(holds?|held|holding) (it|them|him|(a|an|the|its|their) [\w-]+) to (a|an|the|its|their|exactly|[\w-]+'s)`),
			Instead: "check, require, refuse: checks the output against its schema",
			Bad:     "It holds the output to its schema.", Good: "It checks the output against its schema.",
		},
		{
			Name: "whichever", Pattern: word(`whichever`), Instead: "any",
			Bad: "On whichever replica, the call may go on.", Good: "The call may go on, on any replica.",
		},
		{
			Name: "known of", Pattern: word(`(is|are|was) known of|(knows?|learns?|finds out) (anything|nothing) of|knows? of`),
			Instead: "the facts, the clauses; learns nothing about",
			Bad:     "It holds what is known of the call.", Good: "It holds the known facts about the call.",
		},
		{
			Name: "nothing of", Pattern: word(`nothing of (it|its|their|the)`), Instead: "none of, without any of",
			Bad: "It leaves with nothing of its text.", Good: "It leaves without any of its text.",
		},
		{
			Name: "used up", Pattern: word(`uses? (it|them|the [\w-]+|a [\w-]+) up`), Instead: "spends",
			Bad: "It uses the token up.", Good: "It spends the token.",
		},
		{
			Name: "where for if",
			Pattern: regexp.MustCompile(`(^|[.;:] )Where |[Ww]here (there is|there are|it has|it is|it can|it cannot|they have|` +
				`they are|nothing|no |none|one is|neither|both)`),
			Allowed: regexp.MustCompile(`Where is (the|an?) `), // a field of that name
			Instead: "if, when",
			Bad:     "Where there is no room it refuses.", Good: "If there is no room, it refuses.",
		},
		{
			Name:    "inverted condition",
			Pattern: regexp.MustCompile(`(^|[.;:,] |\band )(Should|Had|Were) (it|they|the|a|an|there|one|this|that) `),
			Instead: "if",
			Bad:     "Should it fail, nothing runs.", Good: "If it fails, nothing runs.",
		},
	}
}

// word matches whole words in either case.
func word(words string) *regexp.Regexp { return regexp.MustCompile(`(?i)(?:^|\b)(?:` + words + `)\b`) }
