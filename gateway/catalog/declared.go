package catalog

import (
	"encoding"
	"encoding/json"
	"maps"
	"slices"

	"github.com/Masterminds/semver/v3"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/internal/declare"
	"github.com/toolcontract/toolcontract/internal/strictjson"
	"github.com/toolcontract/toolcontract/risk"
)

// readContract reads the contract in a tool's _meta. A member with an unknown
// value counts as the strictest one: the server may be newer.
func (t *parsedTool) readContract(meta map[string]any) {
	tree, ok := meta[contract.MetaKeyContract]
	if !ok {
		return
	}
	raw, err := strictjson.Marshal(tree)
	if _, isObject := tree.(map[string]any); err != nil || !isObject || len(raw) > maxContract {
		t.problem(ruleFactContract, "", "the contract in _meta is not an object that can be read; all facts are guessed",
			"correct the server")
		for _, fact := range []string{factRisk, factEffect, factContentTrust, factConfirmation} {
			t.strictest(fact)
		}
		return
	}
	members, _ := cleanTree(tree).(map[string]any)
	d := &t.declared.doc
	t.enum(members, "risk", factRisk, &d.Risk, fromContract)
	t.enum(members, "effect", factEffect, &d.Effect, fromContract)
	t.enum(members, "reversibility", factReversibility, &d.Reversibility, fromContract)
	t.enum(members, "contentTrust", factContentTrust, &d.ContentTrust, fromContract)
	t.enum(members, "confirmation", factConfirmation, &d.Confirmation, fromContract)
	t.enum(members, "dryRun", factDryRun, &d.DryRun, fromContract)
	t.idempotency(members)
	t.version(members, "version", fromContract)
	if deprecated, ok := members["deprecated"].(map[string]any); ok {
		t.deprecated(deprecated, "since", fromContract)
		if d.Deprecated != nil {
			d.Deprecated.Note, _ = deprecated["note"].(string)
		}
	}
	t.words(members, "aliases", factAliases, &d.Aliases, fromContract)
	t.words(members, "permissions", factPermissions, &d.Permissions, fromContract)
	t.readRest(members)
	d.SideEffects = t.rest.SideEffects
}

// factMembers are the members of a contract that are facts.
var factMembers = []string{
	"risk", "effect", "reversibility", "contentTrust", "confirmation", "dryRun", "idempotency", "version", "deprecated", "aliases",
	"permissions",
}

// readRest reads the clauses that are not facts. It reads each one separately,
// so that an unknown value of one clause does not affect the others.
func (t *parsedTool) readRest(members map[string]any) {
	rest := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if slices.Contains(factMembers, name) {
			continue
		}
		var alone contract.Document
		clause, err := strictjson.Marshal(map[string]any{name: members[name]})
		if err != nil || json.Unmarshal(clause, &alone) != nil {
			t.problem(ruleFactValue, name, "the server declares a value that is not known, which is ignored", "correct the server")
			continue
		}
		rest[name] = members[name]
	}
	if clean, err := strictjson.Marshal(rest); err == nil {
		_ = json.Unmarshal(clean, &t.rest) // each clause was read before
	}
}

// The keys of gateways in the annotations, as the Python package
// mcp-tool-contract writes them. Its risk levels are our effects.
const (
	keyRisk       = "risk_level"
	keyTrust      = "content_trust_risk"
	keyVersion    = "version"
	keyDeprecated = "deprecated_since"
	keyAliases    = "aliases"
)

// readAnnotations reads the keys of gateways where the contract has no fact.
func (t *parsedTool) readAnnotations(members map[string]any) {
	d := &t.declared.doc
	if !t.declared.has(factRisk) {
		t.enum(members, keyRisk, factEffect, &d.Effect, fromAnnotations)
	}
	t.enum(members, keyTrust, factContentTrust, &d.ContentTrust, fromAnnotations)
	t.version(members, keyVersion, fromAnnotations)
	t.deprecated(members, keyDeprecated, fromAnnotations)
	t.words(members, keyAliases, factAliases, &d.Aliases, fromAnnotations)
}

// guess infers the facts that nothing else declares from the hints.
func (t *parsedTool) guess() {
	d, origin := &t.declared.doc, fromHints
	if !t.declared.has(factEffect) {
		effect, hint := t.definition.Annotations.GuessEffect()
		if hint == "" {
			origin = fromGuess
		}
		d.Effect = effect
		t.declared.set(factEffect, origin)
	}
	idempotent := t.definition.Annotations.IdempotentHint
	if !t.declared.has(factIdempotency) && idempotent != nil && *idempotent && d.Effect != risk.ReadOnly {
		d.Idempotency = &contract.Idempotency{Mode: idempotency.Native}
		t.declared.set(factIdempotency, fromHints)
	}
}

// enum reads a member, unless the fact is already declared. An unknown value
// becomes the strictest one.
func (t *parsedTool) enum(members map[string]any, member, fact string, value encoding.TextUnmarshaler, origin string) {
	written, ok := members[member]
	if !ok || t.declared.has(fact) {
		return
	}
	text, _ := written.(string)
	if value.UnmarshalText([]byte(text)) != nil {
		t.problem(ruleFactValue, fact, "the server declares a value that is not known; the strictest one counts",
			"correct the server, or override the fact")
		t.strictest(fact)
		return
	}
	t.declared.set(fact, origin)
}

// strictest sets a fact to its strictest value.
func (t *parsedTool) strictest(fact string) {
	d := &t.declared.doc
	switch fact {
	case factRisk:
		d.Risk = risk.Critical
	case factEffect:
		d.Effect = risk.Destructive
	case factReversibility:
		d.Reversibility = risk.Irreversible
	case factConfirmation:
		d.Confirmation = contract.ConfirmationAlways
	case factContentTrust: // undeclared is the strictest
	default:
		return
	}
	t.declared.set(fact, fromGuess)
}

func (t *parsedTool) idempotency(members map[string]any) {
	written, ok := members["idempotency"].(map[string]any)
	if required, _ := members["keyRequired"].(bool); required && !ok { // a summary: no call without a key reaches its tool
		written, ok = map[string]any{"mode": "managed", "keyRequired": true}, true
	}
	if !ok {
		return
	}
	raw, err := strictjson.Marshal(written)
	var read contract.Idempotency
	if err != nil || json.Unmarshal(raw, &read) != nil || !read.Mode.IsValid() {
		t.problem(ruleFactValue, factIdempotency, "the server declares a value that is not known, which is ignored",
			"correct the server")
		return
	}
	t.declared.doc.Idempotency = &read
	t.declared.set(factIdempotency, fromContract)
}

func (t *parsedTool) version(members map[string]any, member string, origin string) {
	if version, ok := t.semver(members, member, factVersion); ok {
		t.declared.doc.Version = version
		t.declared.set(factVersion, origin)
	}
}

func (t *parsedTool) deprecated(members map[string]any, member string, origin string) {
	if since, ok := t.semver(members, member, factDeprecatedSince); ok {
		t.declared.doc.Deprecated = &contract.Deprecation{Since: since}
		t.declared.set(factDeprecatedSince, origin)
	}
}

// semver reads a version, unless the fact is already declared. An invalid
// version is left out.
func (t *parsedTool) semver(members map[string]any, member, fact string) (string, bool) {
	written, ok := members[member]
	if !ok || written == nil || t.declared.has(fact) {
		return "", false
	}
	text, _ := written.(string)
	if _, err := semver.StrictNewVersion(text); err != nil || len(text) > maxWord {
		t.problem(ruleFactValue, fact, "the value is not a version of the form MAJOR.MINOR.PATCH, and is ignored",
			"correct the server, or override the fact")
		return "", false
	}
	return text, true
}

// words reads a list of names, unless the fact is already declared. Invalid
// names are left out.
func (t *parsedTool) words(members map[string]any, member, fact string, value *[]string, origin string) {
	list, ok := members[member].([]any)
	if !ok || t.declared.has(fact) {
		return
	}
	var words []string
	for _, item := range list {
		word, _ := item.(string)
		if !isWord(fact, word) || len(words) == maxWords {
			t.problem(ruleFactValue, fact, "a part of the list is not a name, and is ignored", "correct the server")
			continue
		}
		words = append(words, word)
	}
	if len(words) > 0 {
		*value = words
		t.declared.set(fact, origin)
	}
}

func isWord(fact, word string) bool {
	if fact == factAliases {
		return declare.IsName(word)
	}
	if word == "" || len(word) > maxWord {
		return false
	}
	for i := range len(word) {
		if c := word[i]; c <= ' ' || c > '~' || c == ',' {
			return false
		}
	}
	return true
}
