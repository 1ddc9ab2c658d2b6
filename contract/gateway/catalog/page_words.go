package catalog

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// A clauseWords is one clause of a contract in words.
type clauseWords struct {
	// members are the members of a document that the words are about.
	members []string
	term    string
	// words returns the sentences, and none if there is nothing to report. d is
	// the contract as declared, and e as it counts.
	words func(d, e *contract.Document) []string
}

// elsewhere has the members of a document that the page shows in another way
// than by [pageClauses].
var elsewhere = map[string]string{
	"format":       "it is the version of the wire form",
	"name":         "the heading of the tool",
	"title":        "the heading of the tool",
	"description":  "below the heading",
	"risk":         "the group and the badge of the tool",
	"failureModes": "a table of its own",
	"inputSchema":  "below the clauses",
	"outputSchema": "below the clauses",
}

// pageClauses returns the clauses in the order of the page.
func pageClauses() []clauseWords {
	return []clauseWords{
		{[]string{"effect"}, "What it does", func(_, e *contract.Document) []string { return []string{effectWords[e.Effect]} }},
		{[]string{"confirmation", "confirmationReason", "autonomous", "typedConfirmation"}, "Who decides", confirmationWords},
		{[]string{"permissions", "noPermissions", "securityLevel"}, "Who may call it", permissionWords},
		{[]string{"objectAuthorization"}, "Which objects", flagWords(func(d *contract.Document) bool { return d.ObjectAuthorization },
			"The server also decides by the arguments whether a caller may make the call.")},
		{[]string{"discoverWith"}, "Who sees it", func(d, _ *contract.Document) []string {
			return listWords("Callers with these permissions see it in the list: %s.", d.DiscoverWith)
		}},
		{[]string{"stepUp"}, "Recent authentication", stepUpWords},
		{[]string{"contentTrust", "reads", "sends", "delimit"}, "Data", flowWords},
		{[]string{"sideEffects"}, "Side effects", sideEffectWords},
		{[]string{"idempotency"}, "Repeated calls", idempotencyWords},
		{[]string{"dryRun"}, "Dry run", func(_, e *contract.Document) []string {
			switch e.DryRun {
			case dryrun.Supported:
				return []string{"A dry run shows what a call would do, without doing it."}
			case dryrun.Required:
				return []string{"Every call needs a dry run of exactly that call first."}
			case 0, dryrun.None:
			}
			return nil
		}},
		{[]string{"lenient"}, "Lenient arguments", func(d, _ *contract.Document) []string {
			var forms []string
			for _, form := range d.Lenient {
				forms = append(forms, form.String())
			}
			return listWords("Arguments may also have these forms: %s.", forms)
		}},
		{[]string{"rateLimit", "totalRateLimit", "retryBudget", "maxConcurrent"}, "How often", limitWords},
		{[]string{"timeoutMs", "cancellable"}, "How long", timeWords},
		{[]string{"maxResultBytes", "maxArgumentBytes"}, "How much", func(_, e *contract.Document) []string {
			return []string{fmt.Sprintf("Arguments have at most %s, results at most %s.", sizeWords(e.MaxArgumentBytes),
				sizeWords(e.MaxResultBytes))}
		}},
		{[]string{"auditEvent"}, "In the audit log", func(_, e *contract.Document) []string { return []string{clean(e.AuditEvent)} }},
		{[]string{"version"}, "Version", func(d, _ *contract.Document) []string { return listWords("%s", nonEmpty(d.Version)) }},
		{[]string{"deprecated"}, "Deprecated", deprecationWords},
		{[]string{"aliases"}, "Old names", func(d, _ *contract.Document) []string { return listWords("%s", d.Aliases) }},
		{[]string{"category"}, "Category", func(d, _ *contract.Document) []string { return listWords("%s", nonEmpty(d.Category)) }},
		{[]string{"metadata"}, "Metadata", func(d, _ *contract.Document) []string {
			if len(d.Metadata) == 0 {
				return nil
			}
			raw, err := json.Marshal(d.Metadata)
			if err != nil {
				return nil
			}
			return []string{clean(string(raw))}
		}},
	}
}

var effectWords = map[risk.Effect]string{
	risk.ReadOnly:            "It only reads.",
	risk.LowRiskWrite:        "It makes changes of low risk.",
	risk.HighRiskWrite:       "It makes changes of high risk.",
	risk.ExternalPublication: "It publishes something outside the system.",
	risk.PaidOperation:       "It spends money.",
	risk.Destructive:         "It can destroy something.",
}

func nonEmpty(text string) []string {
	if text == "" {
		return nil
	}
	return []string{text}
}

func listWords(format string, texts []string) []string {
	if len(texts) == 0 {
		return nil
	}
	return []string{fmt.Sprintf(format, joined(cleanAll(texts)))}
}

func flagWords(is func(*contract.Document) bool, words string) func(d, e *contract.Document) []string {
	return func(d, _ *contract.Document) []string {
		if !is(d) {
			return nil
		}
		return []string{words}
	}
}

func confirmationWords(d, e *contract.Document) []string {
	var words []string
	switch {
	case e.Risk == risk.Forbidden:
		return []string{"No agent can call it or see it."}
	case e.Confirmation == contract.ConfirmationAlways:
		words = append(words, "A person confirms every call.")
	case e.Confirmation == contract.ConfirmationWhen:
		words = append(words, "A person confirms some calls, depending on the arguments.")
	default:
		words = append(words, "An agent may call it alone.")
	}
	if d.TypedConfirmation {
		words = append(words, "The person types a word that the question names.")
	}
	if d.ConfirmationReason != "" {
		words = append(words, "Why no person is asked: "+clean(d.ConfirmationReason))
	}
	return words
}

func permissionWords(d, _ *contract.Document) []string {
	words := listWords("Callers need all of: %s.", d.Permissions)
	switch {
	case len(words) > 0:
	case d.NeedsPrincipal():
		words = []string{"Every authenticated caller may call it."}
	default:
		words = []string{"Everybody may call it, also anonymous callers."}
	}
	if d.NoPermissions != "" {
		words = append(words, "Why no permission is needed: "+clean(d.NoPermissions))
	}
	if d.SecurityLevel > 0 {
		words = append(words, fmt.Sprintf("Security level %d of 10.", d.SecurityLevel))
	}
	return words
}

func stepUpWords(d, _ *contract.Document) []string {
	s := d.StepUp
	if s == nil {
		return nil
	}
	var words []string
	if s.When != "" {
		words = append(words, "When: "+clean(s.When)+".")
	}
	if s.MaxAge > 0 {
		words = append(words, "The caller must have authenticated within the last "+seconds(s.MaxAge)+".")
	}
	if s.ACR != "" {
		words = append(words, "The authentication must be of class "+clean(s.ACR)+".")
	}
	return words
}

var trustWords = map[trust.Level]string{
	trust.Trusted:              "Results are words of the system itself.",
	trust.Untrusted:            "Results may contain unchecked words of others.",
	trust.Sensitive:            "Results are confidential.",
	trust.PromptInjectionProne: "Results may contain instructions of strangers to a model.",
}

var delimitWords = map[trust.Delimiting]string{
	trust.DelimitNever: "Texts are returned as they are.",
	trust.DelimitText:  "Plain texts are marked as data.",
	trust.DelimitAll:   "All texts are marked as data.",
}

func flowWords(d, e *contract.Document) []string {
	words := []string{trustWords[e.ContentTrust]}
	if d.ContentTrust.IsZero() {
		words[0] += " (The trust is not declared.)"
	}
	for _, kind := range e.Reads {
		switch kind {
		case contract.PublicData:
			words = append(words, "It reads only public data.")
		case contract.PrivateData:
			words = append(words, "It reads private data.")
		case contract.UntrustedData:
			words = append(words, "It reads untrusted data.")
		case 0:
		}
	}
	if e.Sends {
		words = append(words, "It can send data out of the system.")
	}
	return append(words, delimitWords[e.Delimit.Effective(e.ContentTrust)])
}

func sideEffectWords(d, e *contract.Document) []string {
	if len(d.SideEffects) == 0 {
		if len(e.SideEffects) > 0 {
			return []string{"None is declared, so it counts as external and irreversible."}
		}
		return []string{"None."}
	}
	var words []string
	for i, s := range e.SideEffects {
		if i == 20 {
			return append(words, "…")
		}
		text := clean(s.Description) + " (" + s.Reach.String() + ", " + s.Undo.String() + ")"
		if s.Affects != "" {
			text += " Affects: " + clean(s.Affects) + "."
		}
		if s.OnRepeat != "" {
			text += " On repeat: " + clean(s.OnRepeat)
		}
		words = append(words, text)
	}
	return words
}

func idempotencyWords(_, e *contract.Document) []string {
	i := e.Idempotency
	if e.Effect == risk.ReadOnly && i.Mode == idempotency.None {
		return nil
	}
	var words []string
	switch i.Mode {
	case idempotency.Native:
		words = append(words, "A repeated call changes nothing more; the tool itself guarantees it.")
	case idempotency.Managed:
		words = append(words, "A repeated call returns the recorded outcome and does not run.")
	case idempotency.Keyed:
		words = append(words, "A call with the same idempotency key returns the recorded outcome. A call without a key runs.")
	case 0, idempotency.None:
		return []string{"A repeated call has its effect again."}
	}
	words = append(words, listWords("The same values of these arguments are the same call: %s.", i.KeyFields)...)
	if i.Retention > 0 && i.Mode.Deduplicates() {
		words = append(words, "Outcomes are stored for "+seconds(i.Retention)+".")
	}
	switch i.OnUnknown {
	case idempotency.Refuse:
		words = append(words, "After an unknown outcome, a repeated call is refused.")
	case idempotency.Rerun:
		words = append(words, "After an unknown outcome, a repeated call runs again.")
	case 0:
	}
	return words
}

func limitWords(d, _ *contract.Document) []string {
	var words []string
	if r := d.RateLimit; r != nil {
		words = append(words, fmt.Sprintf("One caller: %d calls in %s.", r.Calls, seconds(r.Per)))
	}
	if r := d.TotalRateLimit; r != nil {
		words = append(words, fmt.Sprintf("All callers together: %d calls in %s.", r.Calls, seconds(r.Per)))
	}
	if r := d.RetryBudget; r != nil {
		words = append(words, fmt.Sprintf("The same call may fail %d times in %s.", r.Failures, seconds(r.Window)))
	}
	if d.MaxConcurrent > 0 {
		words = append(words, fmt.Sprintf("At most %d calls run at once.", d.MaxConcurrent))
	}
	if len(words) == 0 {
		return []string{"The limits of the server apply."}
	}
	return words
}

func timeWords(d, _ *contract.Document) []string {
	var words []string
	if d.Timeout > 0 {
		words = append(words, "A call ends after "+d.Timeout.String()+".")
	}
	if d.Cancellable {
		words = append(words, "A call ends when its caller disconnects.")
	}
	return words
}

func deprecationWords(d, _ *contract.Document) []string {
	if d.Deprecated == nil {
		return nil
	}
	words := []string{"Since " + clean(d.Deprecated.Since) + "."}
	if d.Deprecated.ReplacedBy != "" {
		words = append(words, "Use "+clean(d.Deprecated.ReplacedBy)+".")
	}
	if d.Deprecated.Note != "" {
		words = append(words, clean(d.Deprecated.Note))
	}
	return words
}

// seconds returns a time in words, such as "a day" or "90 minutes".
func seconds(d time.Duration) string {
	for _, unit := range []struct {
		length   time.Duration
		one, all string
	}{{24 * time.Hour, "a day", "days"}, {time.Hour, "an hour", "hours"}, {time.Minute, "a minute", "minutes"}} {
		if d == unit.length {
			return unit.one
		}
		if d > unit.length && d%unit.length == 0 {
			return fmt.Sprintf("%d %s", d/unit.length, unit.all)
		}
	}
	return fmt.Sprintf("%d seconds", d/time.Second)
}

func sizeWords(bytes int64) string {
	switch {
	case bytes >= 1<<20 && bytes%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", bytes>>20)
	case bytes >= 1<<10 && bytes%(1<<10) == 0:
		return fmt.Sprintf("%d KiB", bytes>>10)
	default:
		return fmt.Sprintf("%d bytes", bytes)
	}
}

// asksWords returns the party that decides about a call, for the list.
func asksWords(e *contract.Document) string {
	switch {
	case e.Risk == risk.Forbidden:
		return "never for agents"
	case e.Confirmation == contract.ConfirmationAlways:
		return "a person confirms"
	case e.Confirmation == contract.ConfirmationWhen:
		return "a person confirms some calls"
	default:
		return "an agent alone"
	}
}

// firstSentence returns the beginning of a description for the list.
func firstSentence(text string) string {
	text = strings.Join(strings.Fields(clean(text)), " ")
	if i := strings.Index(text, ". "); i > 0 {
		text = text[:i+1]
	}
	return cut(text, 160)
}
