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

// A clauseWords puts one clause of a contract into words.
type clauseWords struct {
	// members are the members of a document that the words cover.
	members []string
	term    string
	// words returns the sentences, or none if there is nothing to say. d is the
	// contract as declared, and e as it takes effect.
	words func(d, e *contract.Document) []string
}

// elsewhere has the members of a document that the page doesn't show with
// [pageClauses], and where it shows them instead.
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
		{[]string{"effect", "reversibility"}, "What it does", func(_, e *contract.Document) []string {
			return append(sentences{effectWords[e.Effect]}, nonEmpty(undoWords[e.Reversibility])...)
		}},
		{[]string{"confirmation", "confirmationReason", "autonomous", "typedConfirmation"}, "Who decides", confirmationWords},
		{[]string{"resolves"}, "With some arguments", leastWords},
		{[]string{"permissions", "noPermissions", "securityLevel"}, "Who may call it", permissionWords},
		{[]string{"objectAuthorization"}, "Which objects", func(d, _ *contract.Document) []string {
			return sentences{}.when(d.ObjectAuthorization, "The server also decides by the arguments whether a caller may make the call.")
		}},
		{[]string{"discoverWith"}, "Who sees it", func(d, _ *contract.Document) []string {
			return listWords("Callers with these permissions see it in the list: %s.", d.DiscoverWith)
		}},
		{[]string{"stepUp"}, "Recent authentication", stepUpWords},
		{[]string{"contentTrust", "reads", "sends", "delimit", "sanitize"}, "Data", flowWords},
		{[]string{"sideEffects"}, "Side effects", sideEffectWords},
		{[]string{"idempotency"}, "Repeated calls", idempotencyWords},
		{[]string{"reconcile"}, "Lost calls", reconcileWords},
		{[]string{"dryRun"}, "Dry run", func(_, e *contract.Document) []string { return nonEmpty(dryRunWords[e.DryRun]) }},
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
			raw, err := json.Marshal(d.Metadata)
			return sentences{}.when(err == nil && len(d.Metadata) > 0, clean(string(raw)))
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

var undoWords = map[risk.Reversibility]string{
	risk.Reversible:        "The system can undo its changes.",
	risk.ReversibleOutside: "Its changes can be undone, but not by the system alone.",
	risk.Irreversible:      "Its changes cannot be undone.",
}

var dryRunWords = map[dryrun.Mode]string{
	dryrun.Supported: "A dry run shows what a call would do, without doing it.",
	dryrun.Required:  "Every call needs a dry run of exactly that call first.",
}

// sentences are the sentences about one clause.
type sentences []string

// when adds a sentence if a condition is true.
func (s sentences) when(is bool, sentence string) sentences {
	if is {
		return append(s, sentence)
	}
	return s
}

// quote adds a text of the contract, with words of the page before and after
// it, unless it is empty.
func (s sentences) quote(before, text, after string) sentences {
	return s.when(text != "", before+clean(text)+after)
}

func nonEmpty(text string) []string { return sentences{}.when(text != "", text) }

func listWords(format string, texts []string) []string {
	if len(texts) == 0 {
		return nil
	}
	return []string{fmt.Sprintf(format, joinTexts(cleanAll(texts)))}
}

// decider says who decides about a call, for the list and in a sentence.
func decider(e *contract.Document) (short, sentence string) {
	switch {
	case e.Risk == risk.Forbidden:
		return "never for agents", "No agent can call it or see it."
	case e.Confirmation == contract.ConfirmationAlways && !mayRunAlone(e):
		return "a person confirms", "A person confirms every call."
	case e.Confirmation == contract.ConfirmationAlways, e.Confirmation == contract.ConfirmationWhen:
		return "a person confirms some calls", "A person confirms some calls, depending on the arguments."
	case e.Confirmation == contract.ConfirmationUpstream:
		return "the tool's server may ask", "The server of the tool itself may ask a person to confirm a call."
	default:
		return "an agent alone", "An agent may call it alone."
	}
}

func confirmationWords(d, e *contract.Document) []string {
	_, sentence := decider(e)
	if e.Risk == risk.Forbidden {
		return []string{sentence}
	}
	return sentences{sentence}.when(d.TypedConfirmation, "The person types a word that the question names.").
		quote("Why no person is asked: ", d.ConfirmationReason, "")
}

// leastWords says how far the arguments of a call may weaken the contract.
func leastWords(_, e *contract.Document) []string {
	least := e.Resolves
	if least == nil {
		return nil
	}
	words := sentences{}.
		when(least.Risk != e.Risk, fmt.Sprintf("The risk is at least %s and at most %s.", least.Risk, e.Risk)).
		when(least.Effect != e.Effect, fmt.Sprintf("The effect is at least %s and at most %s.", least.Effect, e.Effect)).
		when(least.Confirmation != e.Confirmation, fmt.Sprintf("The confirmation is at least %s and at most %s.", least.Confirmation,
			e.Confirmation))
	switch {
	case len(least.Permissions) == len(e.Permissions):
	case len(least.Permissions) == 0:
		words = append(words, "There is no permission that every call needs.")
	default:
		words = append(words, listWords("Every call needs at least: %s.", least.Permissions)...)
	}
	return words
}

func permissionWords(d, _ *contract.Document) []string {
	words := sentences(listWords("Callers need all of: %s.", d.Permissions))
	if len(words) == 0 {
		words = words.when(d.NeedsPrincipal(), "Every authenticated caller may call it.").
			when(!d.NeedsPrincipal(), "Everybody may call it, also anonymous callers.")
	}
	return words.quote("Why no permission is needed: ", d.NoPermissions, "").
		when(d.SecurityLevel > 0, fmt.Sprintf("Security level %d of 10.", d.SecurityLevel))
}

func stepUpWords(d, _ *contract.Document) []string {
	s := d.StepUp
	if s == nil {
		return nil
	}
	return sentences{}.quote("When: ", s.When, ".").
		when(s.MaxAge > 0, "The caller must have authenticated within the last "+seconds(s.MaxAge)+".").
		quote("The authentication must be of class ", s.ACR, ".")
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

var readsWords = map[contract.DataKind]string{
	contract.PublicData:    "It reads only public data.",
	contract.PrivateData:   "It reads private data.",
	contract.UntrustedData: "It reads untrusted data.",
}

func flowWords(d, e *contract.Document) []string {
	words := sentences{trustWords[e.ContentTrust]}
	if d.ContentTrust == 0 {
		words[0] += " (The trust is not declared.)"
	}
	for _, kind := range e.Reads {
		words = words.when(readsWords[kind] != "", readsWords[kind])
	}
	words = append(words.when(e.Sends, "It can send data out of the system."), delimitWords[e.Delimit.Effective(e.ContentTrust)])
	return words.when(e.Sanitize == trust.SanitizeText, "Structured results keep hidden characters.").
		when(e.Sanitize == trust.SanitizeNever, "Results keep hidden characters.")
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

var repeatedWords = map[idempotency.Mode]string{
	idempotency.Native:  "A repeated call changes nothing more; the tool itself guarantees it.",
	idempotency.Managed: "A repeated call returns the recorded outcome and does not run.",
	idempotency.Keyed:   "A call with the same idempotency key returns the recorded outcome. A call without a key runs.",
}

func idempotencyWords(_, e *contract.Document) []string {
	i := e.Idempotency
	words := sentences(nonEmpty(repeatedWords[i.Mode]))
	if len(words) == 0 {
		return words.when(e.Effect != risk.ReadOnly, "A repeated call has its effect again.")
	}
	open := !i.Atomic && e.Reconcile == nil // reconcileWords says what happens otherwise
	return append(words, listWords("The same values of these arguments are the same call: %s.", i.KeyFields)...).
		when(i.KeyRequired && i.Mode.Deduplicates(), "A call without an idempotency key is refused.").
		when(i.Retention > 0 && i.Mode.Deduplicates(), "Outcomes are stored for "+seconds(i.Retention)+".").
		when(i.ArgumentsRetention > 0, "Those of calls that have no other key than all arguments: for "+
			seconds(i.ArgumentsRetention)+".").
		when(i.Atomic, "The outcome and the writes of a call are stored together, so a call that fails changes nothing.").
		when(open && i.OnUnknown == idempotency.Refuse, "After an unknown outcome, a repeated call is refused.").
		when(open && i.OnUnknown == idempotency.Rerun, "After an unknown outcome, a repeated call runs again.")
}

func reconcileWords(d, e *contract.Document) []string {
	if d.Reconcile == nil {
		return nil
	}
	rerun, quiet := e.Idempotency.OnUnknown == idempotency.Rerun, d.Reconcile.Quiet
	waits := !rerun && quiet > 0 && !e.Risk.AtLeast(risk.High)
	const asks = "After an unknown outcome, a repeated call finds out whether the effect happened, and returns its result if it did."
	return sentences{asks}.
		when(rerun, "If it has not happened so far, the repeated call runs.").
		when(waits, "If it has not happened so far, the repeated call runs after "+seconds(quiet)+".")
}

func limitWords(d, _ *contract.Document) []string {
	var words sentences
	if r := d.RateLimit; r != nil {
		words = append(words, fmt.Sprintf("One caller: %d calls in %s.", r.Calls, seconds(r.Per)))
	}
	if r := d.TotalRateLimit; r != nil {
		words = append(words, fmt.Sprintf("All callers together: %d calls in %s.", r.Calls, seconds(r.Per)))
	}
	if r := d.RetryBudget; r != nil {
		words = append(words, fmt.Sprintf("The same call may fail %d times in %s.", r.Failures, seconds(r.Window)))
	}
	words = words.when(d.MaxConcurrent > 0, fmt.Sprintf("At most %d calls run at once.", d.MaxConcurrent))
	return words.when(len(words) == 0, "The limits of the server apply.")
}

func timeWords(d, _ *contract.Document) []string {
	return sentences{}.when(d.Timeout > 0, "A call ends after "+d.Timeout.String()+".").
		when(d.Cancellable, "A call ends when its caller disconnects.")
}

func deprecationWords(d, _ *contract.Document) []string {
	if d.Deprecated == nil {
		return nil
	}
	return sentences{}.quote("Since ", d.Deprecated.Since, ".").quote("Use ", d.Deprecated.ReplacedBy, ".").
		quote("", d.Deprecated.Note, "")
}

// seconds returns a duration in words, such as "a day" or "90 minutes".
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

// firstSentence returns the first sentence of a description, shortened for the
// list.
func firstSentence(text string) string {
	text = strings.Join(strings.Fields(clean(text)), " ")
	if i := strings.Index(text, ". "); i > 0 {
		text = text[:i+1]
	}
	return cut(text, 160)
}
