package contracttest

import (
	"fmt"

	"github.com/toolcontract/toolcontract/contract"
)

// maxTokens is how many tokens a tool may cost in tools/list before the rule
// cost.tokens reports it. The number is an estimate, with the contract's
// summary in _meta.
const maxTokens = 2000

func judgeServed(s *subject, report reportFunc) {
	if s.isForbidden() {
		return // it is not listed
	}
	_, err := measure(s.doc)
	for _, e := range contract.DeclarationErrors(err) {
		report(e.Where, fmt.Sprintf("%s: %s; %s", e.Rule, e.Message, e.Remedy))
	}
}

func judgeCost(s *subject, report reportFunc) {
	size, err := measure(s.doc)
	if err != nil || s.isForbidden() {
		return // serve.refused reports it
	}
	if n := tokens(size.Summary); n > maxTokens {
		report("", fmt.Sprintf("the tool's entry in tools/list costs about %d tokens", n))
	}
}
