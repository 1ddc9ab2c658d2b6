package mcpgo_test

import (
	"encoding/json"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contracttest"
)

// headerSchemas has input schemas by whether their annotations are valid.
var headerSchemas = map[string]bool{
	`{"type":"object"}`:                      true,
	`{"properties":{"a":{"type":"string"}}}`: true,
	`{"properties":{"a":{"type":"string","x-mcp-header":"A"},"b":{"type":"integer","x-mcp-header":"B-c.d"}}}`: true,
	`{"properties":{"a":{"type":["string","boolean"],"x-mcp-header":"A"}}}`:                                   true,
	`{"properties":{"o":{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"A"}}}}}`:          true,
	`{"properties":{"a":{"items":{"x-mcp-header":7}}}}`:                                                       true,
	`[]`: true,
	`{"properties":{"a":{"x-mcp-header":"A"}}}`:                          false,
	`{"properties":{"a":{"type":7,"x-mcp-header":"A"}}}`:                 false,
	`{"properties":{"a":{"type":"object","x-mcp-header":"A"}}}`:          false,
	`{"properties":{"a":{"type":["string","null"],"x-mcp-header":"A"}}}`: false,
	`{"properties":{"a":{"type":"number","x-mcp-header":"A"}}}`:          false,
	`{"properties":{"a":{"type":"string","x-mcp-header":""}}}`:           false,
	`{"properties":{"a":{"type":"string","x-mcp-header":null}}}`:         false,
	`{"properties":{"a":{"type":"string","x-mcp-header":7}}}`:            false,
	`{"properties":{"a":{"type":"string","x-mcp-header":"A B"}}}`:        false,
	`{"properties":{"a":{"type":"string",` +
		`"x-mcp-header":"Ä"}}}`: false,
	`{"properties":{"o":{"properties":{"a":{"type":"string","x-mcp-header":"A:"}}}}}`:                                         false,
	`{"properties":{"a":{"type":"string","x-mcp-header":"A"},"b":{"properties":{"c":{"type":"string","x-mcp-header":"a"}}}}}`: false,
}

// mcp-go panics for a tool that it does not take, so both have to agree.
func TestHeaderAnnotations_AreCheckedAsMCPGoChecksThem(t *testing.T) {
	t.Parallel()
	for schema, valid := range headerSchemas {
		theirs := mcp.ValidateParamHeaderAnnotations(&mcp.Tool{Name: "a.b", RawInputSchema: json.RawMessage(schema)})
		doc := contract.Document{Name: "a.b", InputSchema: json.RawMessage(schema)}
		_, ours := contracttest.ListedJSON(doc, contract.TierSummary, contract.Underscore)
		assert.Equal(t, valid, ours == nil, schema)
		require.Equal(t, valid, theirs == nil, schema)
		if !valid {
			assert.Contains(t, textsOfMCPGo(schema), ours.Error())
		}
	}
}

// textsOfMCPGo returns the errors that mcp-go has for a schema, as ours word
// them. mcp-go visits properties in random order, so it reports either of two
// duplicates.
func textsOfMCPGo(schema string) []string {
	var texts []string
	for range 64 {
		err := mcp.ValidateParamHeaderAnnotations(&mcp.Tool{Name: "a.b", RawInputSchema: json.RawMessage(schema)})
		ours := contract.DeclarationError{Rule: "serve.header", Tool: "a.b", Where: "inputSchema",
			Message: "an x-mcp-header annotation is not valid: " + err.Error(),
			Remedy:  "annotate primitive properties, with distinct header names"}
		texts = append(texts, ours.Error())
	}
	return texts
}

func TestHeaderAnnotations_AreRefusedInAToolWithAliases(t *testing.T) {
	t.Parallel()
	for schema, has := range map[string]bool{
		`{"properties":{"a":{"type":"string"}}}`:                                                         false,
		`{"properties":{"o":{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"A"}}}}}`: true,
	} {
		tool := mcp.Tool{Name: "a.b", RawInputSchema: json.RawMessage(schema)}
		require.Equal(t, has, len(mcp.ExtractParamHeaderBindings(&tool)) > 0)
		doc := contract.Document{Name: "a.b", Aliases: []string{"a.c"}, InputSchema: json.RawMessage(schema)}
		_, err := contracttest.ListedJSON(doc, contract.TierSummary, contract.Underscore)
		assert.Equal(t, has, err != nil, schema)
	}
}
