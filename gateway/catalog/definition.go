package catalog

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/declare"
	"github.com/toolcontract/toolcontract/internal/servertext"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// The rules of a [Problem] with a tool.
const (
	ruleToolForm     = "tool.form"     // a tool that is not one unambiguous JSON object
	ruleToolName     = "tool.name"     // a name that is not 1 to 128 of A-Z a-z 0-9 _ . -
	ruleToolTwice    = "tool.twice"    // two tools of one name in a list
	ruleToolSchema   = "tool.schema"   // a schema that is too long or no object
	ruleToolText     = "tool.text"     // a text that was cut
	ruleFactValue    = "fact.value"    // a declared value that is not known
	ruleFactContract = "fact.contract" // a contract that cannot be read; all facts are guessed
)

// A parsedTool is one tool of a server's list.
type parsedTool struct {
	name       string
	digest     string
	kept       json.RawMessage // the definition to remember; nil: it is too long
	definition adapter.Definition
	// declared has the facts that the server declares, and those that follow
	// from hints.
	declared *layer
	// rest is the contract that the server lists, with the clauses that are not
	// facts. Its texts are clean.
	rest     contract.Document
	problems []Problem
	// unusable tools cannot be served, whatever the operator decides.
	unusable bool
}

func (t *parsedTool) problem(rule, where, message, remedy string) {
	t.problems = append(t.problems, Problem{Rule: rule, Where: where, Message: message, Remedy: remedy})
}

// readTool parses a tool of a list. A problem means that it is not a tool with
// a valid name.
func readTool(raw json.RawMessage) (*parsedTool, *Problem) {
	tree, err := strictjson.Parse(raw, strictjson.Limits{})
	members, ok := tree.(map[string]any)
	if err != nil || !ok {
		return nil, &Problem{Rule: ruleToolForm, Message: "the tool is not one unambiguous JSON object"}
	}
	t := &parsedTool{declared: newLayer()}
	if t.name, _ = members["name"].(string); !declare.IsName(t.name) {
		return nil, &Problem{Rule: ruleToolName, Message: "the name is not 1 to 128 of A-Z a-z 0-9 _ . -"}
	}
	canonical, err := strictjson.Marshal(tree)
	if err != nil {
		return nil, &Problem{Rule: ruleToolForm, Message: "the tool cannot be written as JSON"}
	}
	sum := sha256.Sum256(canonical)
	t.digest = "sha256:" + hex.EncodeToString(sum[:])
	if len(canonical) <= maxKept {
		t.kept = canonical
	}
	t.readDefinition(members)
	annotations, _ := members["annotations"].(map[string]any)
	meta, _ := members["_meta"].(map[string]any)
	t.readContract(meta)
	t.readAnnotations(annotations)
	t.guess()
	return t, nil
}

// readDefinition reads the definition that a gateway lists for the tool.
func (t *parsedTool) readDefinition(members map[string]any) {
	annotations, _ := members["annotations"].(map[string]any)
	d := adapter.Definition{
		Name: t.name, Title: t.text(members, "title", maxTitle), Description: t.text(members, "description", maxDescription),
		InputSchema: t.schema(members, "inputSchema"), OutputSchema: t.schema(members, "outputSchema"),
	}
	if d.InputSchema == nil {
		d.InputSchema = json.RawMessage(`{"type":"object"}`)
	}
	d.Annotations = adapter.ToolAnnotations{
		Title: t.text(annotations, "title", maxTitle), ReadOnlyHint: hint(annotations, "readOnlyHint"),
		DestructiveHint: hint(annotations, "destructiveHint"), IdempotentHint: hint(annotations, "idempotentHint"),
		OpenWorldHint: hint(annotations, "openWorldHint"),
	}
	t.definition, _ = d.CleanTexts() // those in the schemas
}

func (t *parsedTool) text(members map[string]any, name string, limit int) string {
	text, _ := members[name].(string)
	clean, cut := servertext.Bounded(text, limit)
	if cut {
		t.problem(ruleToolText, name, fmt.Sprintf("the text was cut after %d bytes", limit), "")
	}
	return clean
}

func (t *parsedTool) schema(members map[string]any, name string) json.RawMessage {
	tree, ok := members[name]
	if !ok {
		return nil
	}
	raw, err := strictjson.Marshal(tree)
	if _, isObject := tree.(map[string]any); err != nil || !isObject || len(raw) > maxSchema {
		t.unusable = true
		t.problem(ruleToolSchema, name, fmt.Sprintf("the schema is not an object of at most %d bytes", maxSchema), "correct the server")
		return nil
	}
	return raw
}

func hint(members map[string]any, name string) *bool {
	if value, ok := members[name].(bool); ok {
		return &value
	}
	return nil
}

// document returns the tool's contract with the given facts.
func (t *parsedTool) document(facts *layer) contract.Document {
	d := t.rest.Clone()
	for _, kind := range factKinds {
		kind.copy(&d, &facts.doc)
	}
	d.Format, d.Autonomous = contract.Format, facts.doc.Autonomous
	d.Title, d.Description = t.definition.Title, t.definition.Description
	if d.Title == "" {
		d.Title = t.definition.Annotations.Title
	}
	d.InputSchema, d.OutputSchema = t.definition.InputSchema, t.definition.OutputSchema
	return d
}
