package contracttest

import (
	"errors"
	"fmt"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/mcpgo"
)

// MaxTokens is what a tool may cost a model in tools/list, as [mcpgo.Tokens]
// estimates it with the whole contract in _meta, before the rule cost.tokens
// finds it too much.
const MaxTokens = 2000

func judgeServed(s *subject, report reportFunc) {
	_, err := mcpgo.Report(s.tool)
	for _, e := range contract.DeclarationErrors(err) {
		report(e.Clause, fmt.Sprintf("%s: %s; %s", e.Rule, e.Message, e.Remedy))
	}
	if err != nil && !errors.Is(err, contract.ErrDeclaration) {
		report("", "the tool cannot be written as JSON")
	}
}

func judgeCost(s *subject, report reportFunc) {
	bytes, err := mcpgo.Report(s.tool)
	if err != nil {
		return // serve.refused says it
	}
	if n := mcpgo.Tokens(bytes.Total().Full); n > MaxTokens {
		report("", fmt.Sprintf("the tool's entry in tools/list costs about %d tokens", n))
	}
}
