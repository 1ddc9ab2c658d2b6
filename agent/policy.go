package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/internal/enum"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// A Policy decides for a host what to do with a call: run it, ask a person, ask
// a person to type a word, or refuse it. It decides by the contract of the
// tool, and by the hints only if the tool has no contract.
//
// A Policy protects the person in front of the host. It does not replace the
// server's guard, which decides by the verified caller.
//
// The zero value asks before every call and refuses forbidden tools. A Policy
// is a plain value and safe for concurrent use.
type Policy struct {
	// AcceptContracts lets contracts decide; a person is asked before every
	// call of a tool without one. AcceptHints includes AcceptContracts and also
	// lets the hints of tools without a contract decide. A hint is a claim that
	// nothing enforces, so set AcceptHints only for servers that you run or
	// have reviewed. Default: whatever a server declares, no call runs without
	// a person.
	AcceptContracts, AcceptHints bool
	// MaxRisk is the highest risk of a tool that may be called. Undeclared:
	// every risk except forbidden.
	MaxRisk risk.Level
	// Domains are the domains whose tools may be called. The domain is the part
	// of a name before its first dot. Empty: all.
	Domains []string
	// Deny lists tools that are refused. Allow lists tools that a person has
	// allowed for good, so that the host does not ask. An entry is a name or a
	// pattern of [path.Match], such as "files.*". A tool in both lists is
	// refused. A person is still asked about an allowed tool if the server
	// asks, after the conversation has read content that may carry
	// instructions, or from AskFrom on.
	Deny, Allow []string
	// Typing has the person type a word, rather than just approve, if the tool
	// is destructive and the server does not ask by itself.
	Typing bool
	// AskFrom is the bound from which a session needs a person. A person is asked
	// about every change with which the [Exposure.Chain] reaches a non-zero field
	// of AskFrom; see [risk.Chain.Reaches]. With risk.Chain{Irreversible: 5}, that
	// is the fifth call that cannot be undone, and every change after it. Zero: no
	// bound. If AskFrom is not valid, a person is asked about every change.
	AskFrom risk.Chain
	// Unattended means that no person can be asked. Calls that need one are
	// refused, including those about which the server would ask. A server that
	// cannot ask would answer them with a fatal failure.
	Unattended bool
}

// A Decision is what a host should do with one call. The zero value refuses.
type Decision struct {
	// Handling is the decision.
	Handling Handling
	// Rule identifies the reason, such as "risk.forbidden".
	Rule string
	// Reason is the reason in words, for the person. It mentions no argument.
	Reason string
	// ByServer means that by its contract the server asks the person during the
	// call. A host that accepts contracts relays that question and asks none of
	// its own.
	ByServer bool
	// Preview means that a dry run with the same arguments must come first.
	Preview bool
	// Word is the word that the person types for [HandleAskTyping]. Empty if
	// ByServer is true, because the server's question names it.
	Word string
}

// A Handling is what a host should do with a call. The zero value is
// [HandleRefuse].
type Handling uint8

const (
	// HandleRefuse does not make the call.
	HandleRefuse Handling = iota
	// HandleRun makes the call without asking. The server may still ask a
	// person.
	HandleRun
	// HandleAsk shows the call to a person, and makes it if the person
	// approves.
	HandleAsk
	// HandleAskTyping also has the person type a word.
	HandleAskTyping
)

var handlings = enum.Of[Handling]("agent", "handling", "refuse", "run", "ask", "ask-by-typing")

// String returns the text of h, or a form such as "handling(42)" for a number
// that is no handling.
func (h Handling) String() string { return handlings.String(h) }

// An Exposure is what a conversation has read and done so far. The zero value
// has read only trusted content and made no calls.
type Exposure struct {
	// Injectable means that the conversation has read content that may carry
	// instructions to a model.
	Injectable bool `json:"injectable,omitempty"`
	// Confidential means that it has read content that must not leave the
	// organisation.
	Confidential bool `json:"confidential,omitempty"`
	// Chain is what the conversation has done. The host sets it before each
	// decision, to the [Agent.Chain] of its agent, or to the sum of several; see
	// [risk.Chain.Join].
	Chain risk.Chain `json:"chain,omitzero"`
}

// After returns the exposure after reading a result with this trust. An
// undeclared trust counts as prompt-injection-prone.
func (e Exposure) After(level trust.Level) Exposure {
	e.Injectable = e.Injectable || level.MayInject()
	e.Confidential = e.Confidential || level == trust.Sensitive
	return e
}

// The rules of a [Policy], in the order in which they are tried. The first one
// that applies decides. The page of rules has their comments.
const (
	// The host denies the tool.
	ruleDenied = "host.denied"
	// The agent refuses the tool, for example because it is quarantined.
	ruleQuarantined = "host.quarantined"
	// The contract forbids agents to call the tool.
	ruleForbidden = "risk.forbidden"
	// The tool is outside the domains of the task.
	ruleDomain = "host.domain"
	// The risk of the tool is above that of the task.
	ruleTooHigh = "risk.above"
	// The arguments are not one JSON object with distinct members.
	ruleArguments = "arguments.invalid"
	// The arguments are larger than the contract allows.
	ruleTooLarge = "arguments.size"
	// A dry run changes nothing.
	ruleDryRun = "dryRun.preview"
	// The contract has the person type a word; the server asks.
	ruleTyped = "confirmation.typed"
	// The contract has a person confirm every call; the server asks.
	ruleAlways = "confirmation.always"
	// The conversation has read confidential content and content that may carry
	// instructions, and the call can carry data out.
	ruleLeak = "trust.confidential"
	// The conversation has read content that may carry instructions, and the
	// call changes what matters to others.
	ruleInjected = "trust.injectable"
	// The call changes something, and with it the session reaches the host's
	// bound.
	ruleSession = "session.bound"
	// The risk is critical, and the contract has no person confirm every call,
	// because the arguments may weaken it.
	ruleCritical = "risk.critical"
	// The person has allowed the tool.
	ruleAllowed = "host.allowed"
	// The host accepts no declaration of this kind, so a person decides.
	ruleNotAccepted = "host.acceptance"
	// The server asks a person for some arguments.
	ruleWhen = "confirmation.when"
	// The contract lets an agent call the tool by itself.
	ruleNever = "confirmation.never"
	// The tool has no contract, and by its hints it only reads.
	ruleHintReadOnly = "hints.readOnly"
	// The tool has no contract, and by its hints it may write.
	ruleHintWrite = "hints.write"
	// A person has to decide, and none can be asked.
	ruleUnattended = "host.unattended"
)

// Decide returns what to do with a call of a tool with these arguments, in a
// conversation with this exposure. Nil arguments count as none.
//
// The host must show the person the very arguments that it then sends. The
// decision's texts contain nothing of them.
func (p Policy) Decide(t Tool, arguments json.RawMessage, seen Exposure) Decision {
	d := policyContract(t)
	decision := p.decide(t, d, arguments, seen)
	if asks := decision.Handling == HandleAsk || decision.Handling == HandleAskTyping; asks && p.Unattended {
		return Decision{Handling: HandleRefuse, Rule: ruleUnattended, Reason: decision.Reason + " No person can be asked."}
	}
	if decision.Handling != HandleRefuse && decision.Rule != ruleDryRun {
		decision.Preview = d.DryRun == dryrun.Required
	}
	return decision
}

// decide decides without regard to Preview and Unattended, which Decide adds.
func (p Policy) decide(t Tool, d contract.Document, arguments json.RawMessage, seen Exposure) Decision {
	if refused, ok := p.refuse(t, d); ok {
		return refused
	}
	preview, err := readArguments(arguments)
	switch {
	case err != nil:
		return refuse(ruleArguments, "The arguments are not one JSON object with distinct members.")
	case int64(len(arguments)) > d.MaxArgumentBytes:
		return refuse(ruleTooLarge, fmt.Sprintf("The arguments are larger than %d bytes.", d.MaxArgumentBytes))
	case preview && offersDryRun(d) && !p.acceptsContracts():
		return Decision{
			Handling: HandleAsk, Rule: ruleDryRun,
			Reason: "The call is a dry run, but the host does not accept the contract's promise that nothing changes.",
		}
	case preview && offersDryRun(d):
		return Decision{Handling: HandleRun, Rule: ruleDryRun, Reason: "It is a dry run, which changes nothing."}
	}
	if asked, ok := p.serverAsks(t, d); ok {
		return asked
	}
	if asked, ok := p.askExposed(t, d, seen); ok {
		return asked
	}
	switch changes := d.Reversibility != risk.Unchanging; {
	case changes && !p.AskFrom.IsValid():
		return p.ask(d, ruleSession, "The host's bound for a session has a negative number, or a class or risk that does not exist.")
	case changes && seen.Chain.After(d.Reversibility, d.Risk).Reaches(p.AskFrom):
		return p.ask(d, ruleSession, fmt.Sprintf("With this call, the session reaches the host's bound. So far: %s.", seen.Chain))
	}
	return p.decideDefault(t, d)
}

// Offers reports whether a task under this policy may offer the tool to a
// model. It may not if Decide would refuse every call of the tool.
func (p Policy) Offers(t Tool) bool {
	_, refused := p.refuse(t, policyContract(t))
	return !refused
}

// refuse returns the refusals that do not depend on arguments.
func (p Policy) refuse(t Tool, d contract.Document) (Decision, bool) {
	switch {
	case matches(p.Deny, t.Name, d.Name):
		return refuse(ruleDenied, "The host denies this tool."), true
	case t.Refusal != "" && !d.Risk.AtLeast(risk.Forbidden):
		return refuse(ruleQuarantined, "This tool is refused: "+t.Refusal+"."), true
	case d.Risk.AtLeast(risk.Forbidden):
		return refuse(ruleForbidden, "The contract forbids agents to call this tool."), true
	case len(p.Domains) > 0 && !slices.Contains(p.Domains, domainOf(d.Name)):
		return refuse(ruleDomain, "The task does not include the domain of this tool."), true
	case p.MaxRisk != 0 && d.Risk != p.MaxRisk && d.Risk.AtLeast(p.MaxRisk):
		return refuse(ruleTooHigh, fmt.Sprintf("The risk of this tool is %s, above %s.", d.Risk, p.MaxRisk)), true
	}
	return Decision{}, false
}

// serverAsks returns the decision for a contract under which the server asks
// before every call.
func (p Policy) serverAsks(t Tool, d contract.Document) (Decision, bool) {
	relays := p.acceptsContracts()
	switch {
	case !t.hasContract() || !asksAlways(d):
		return Decision{}, false
	case d.TypedConfirmation:
		asked := Decision{
			Handling: HandleAskTyping, Rule: ruleTyped, ByServer: relays,
			Reason: "The contract has a person type a word to confirm every call.",
		}
		if !relays {
			asked.Word = d.Name
		}
		return asked, true
	case !relays:
		return p.ask(d, ruleAlways, "The contract has a person confirm every call."), true
	}
	return Decision{
		Handling: HandleAsk, Rule: ruleAlways, ByServer: true, Reason: "The contract has a person confirm every call.",
	}, true
}

// askExposed asks about calls that could obey instructions in what the
// conversation has read. A person who allowed the tool didn't know of them.
func (p Policy) askExposed(t Tool, d contract.Document, seen Exposure) (Decision, bool) {
	switch {
	case !seen.Injectable:
	case seen.Confidential && reachesOut(t, d):
		return p.ask(d, ruleLeak,
			"The conversation has read confidential content, and content that may carry instructions. This call can carry data out."), true
	case d.Effect.AtLeast(risk.HighRiskWrite) || d.Risk.AtLeast(risk.High) && d.Effect != risk.ReadOnly:
		return p.ask(d, ruleInjected, "The conversation has read content that may carry instructions."), true
	}
	return Decision{}, false
}

// decideDefault decides about calls for which no contract demands a person.
func (p Policy) decideDefault(t Tool, d contract.Document) Decision {
	run := func(rule, reason string) Decision { return Decision{Handling: HandleRun, Rule: rule, Reason: reason} }
	switch {
	case t.hasContract() && basis(d).AtLeast(risk.Critical):
		return p.ask(d, ruleCritical, "This tool is critical, and its contract has no person confirm every call.")
	case matches(p.Allow, t.Name, d.Name):
		return run(ruleAllowed, "The person has allowed this tool.")
	case t.hasContract() && !p.acceptsContracts():
		return p.ask(d, ruleNotAccepted, "The host accepts no contract of this server as a reason not to ask.")
	case t.hasContract() && d.Confirmation != contract.ConfirmationNever:
		return Decision{Handling: HandleRun, Rule: ruleWhen, ByServer: true, Reason: "The server asks a person for some arguments."}
	case t.hasContract():
		return run(ruleNever, "The contract lets an agent call this tool by itself.")
	case d.Effect != risk.ReadOnly:
		return p.ask(d, ruleHintWrite, "This tool has no contract, and by its hints it may write.")
	case !p.AcceptHints:
		return p.ask(d, ruleNotAccepted, "This tool has no contract, and the host does not accept its hints.")
	}
	return run(ruleHintReadOnly, "By its hints this tool only reads.")
}

func (p Policy) acceptsContracts() bool { return p.AcceptContracts || p.AcceptHints }

// ask returns the host's own question.
func (p Policy) ask(d contract.Document, rule, reason string) Decision {
	if p.Typing && d.Effect == risk.Destructive {
		return Decision{Handling: HandleAskTyping, Rule: rule, Reason: reason, Word: d.Name}
	}
	return Decision{Handling: HandleAsk, Rule: rule, Reason: reason}
}

// asksAlways reports whether a server asks a person about every call of a tool,
// whatever its arguments.
func asksAlways(d contract.Document) bool {
	return d.Confirmation == contract.ConfirmationAlways &&
		(d.Resolves == nil || d.Resolves.Confirmation == contract.ConfirmationAlways)
}

// basis returns the level that decides whether a person confirms. For a
// restricted tool it is the level of the effect.
func basis(d contract.Document) risk.Level {
	if d.Risk == risk.Restricted {
		return d.Effect.DefaultLevel()
	}
	return d.Risk
}

func refuse(rule, reason string) Decision {
	return Decision{Handling: HandleRefuse, Rule: rule, Reason: reason}
}

func offersDryRun(d contract.Document) bool {
	return d.DryRun == dryrun.Supported || d.DryRun == dryrun.Required
}

// readArguments reports whether the arguments request a dry run. Duplicated
// members are an error, because the host and the server could read different
// ones.
func readArguments(arguments json.RawMessage) (preview bool, err error) {
	if len(arguments) == 0 {
		return false, nil
	}
	var members map[string]jsontext.Value
	if err := jsonv2.Unmarshal(arguments, &members); err != nil {
		return false, err
	}
	if members == nil {
		return false, errors.New("agent: the arguments are null")
	}
	return string(members["dryRun"]) == "true", nil
}

// matches reports whether a pattern matches one of the names of a tool. A
// pattern that is not valid matches only itself.
func matches(patterns []string, names ...string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		return slices.ContainsFunc(names, func(name string) bool {
			ok, err := path.Match(pattern, name)
			return name != "" && (ok && err == nil || pattern == name)
		})
	})
}

// policyContract returns the contract that a decision is based on, with every
// clause filled in. A risk below the lowest level that the effect allows is
// raised to that level; a builder never makes such a contract.
func policyContract(t Tool) contract.Document {
	d := t.Contract.Effective()
	if d.Name == "" {
		d.Name = t.Name
	}
	if !d.Risk.AtLeast(d.Effect.Floor()) {
		d.Risk = d.Effect.Floor()
	}
	return d
}

// reachesOut reports whether a call can carry its arguments out of the systems
// of the server: by an external effect, or because the result comes from
// outside. Every tool without a contract can.
func reachesOut(t Tool, d contract.Document) bool { return !t.hasContract() || d.Hints().OpenWorld }

// domainOf returns the domain of a name: the part before its first dot, or in a
// name without a dot, before its first underscore.
func domainOf(name string) string {
	if domain, _, ok := strings.Cut(name, "."); ok {
		return domain
	}
	domain, _, _ := strings.Cut(name, "_")
	return domain
}
