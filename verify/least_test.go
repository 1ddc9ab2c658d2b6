package verify_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
	"github.com/toolcontract/toolcontract/verify"
)

type purgeIn struct {
	Keep bool `json:"keep"`
}

// purging returns a destructive tool whose calls that keep the notes have a
// weaker contract. changes counts the calls that purge all the same.
func purging(least contract.Least, weaker contract.Resolution, purge func(purgeIn)) *contract.Tool {
	return contract.New("notes.purge", func(_ context.Context, in purgeIn) (struct{}, error) { purge(in); return struct{}{}, nil }).
		Description("Deletes the notes.").Version("1.0.0").Effect(risk.Destructive).Trust(trust.Trusted).
		Permissions("notes:read", "notes:write").
		Resolve(least, func(in purgeIn) contract.Resolution {
			if in.Keep {
				return weaker
			}
			return contract.Resolution{}
		}).MustBuild()
}

// Calls judge the lower end of a contract: what they are resolved to, whether
// one of them reaches it, and what they then do.
func TestTool_JudgesTheLeastOfAContract(t *testing.T) {
	reads := contract.Resolution{Effect: risk.ReadOnly, Risk: risk.Low, Confirmation: contract.ConfirmationNever,
		Permissions: []string{"notes:read"}}
	keeps, purges := verify.Case{Name: "keeps", Input: purgeIn{Keep: true}}, verify.Case{Name: "purges", Input: purgeIn{}}
	for name, c := range map[string]struct {
		least contract.Least
		cases []verify.Case
		lies  bool
		want  map[string]verify.Conclusion
	}{
		"a call that has it": {contract.Least(reads), []verify.Case{purges, keeps}, false, map[string]verify.Conclusion{
			"resolve.lower": verify.Consistent, "resolve.higher": verify.Consistent, "readonly.effect": verify.Consistent}},
		"a call that has it and changes something": {contract.Least(reads), []verify.Case{keeps}, true,
			map[string]verify.Conclusion{"resolve.lower": verify.Consistent, "readonly.effect": verify.Contradicted}},
		"no call that has it": {contract.Least(reads), []verify.Case{purges}, false,
			map[string]verify.Conclusion{"resolve.lower": verify.Unknown}},
		"a call below it": {contract.Least{Risk: risk.Critical}, []verify.Case{purges, keeps}, false,
			map[string]verify.Conclusion{"resolve.lower": verify.Contradicted, "resolve.higher": verify.Consistent}},
	} {
		t.Run(name, func(t *testing.T) {
			count := 0
			tool := purging(c.least, reads, func(in purgeIn) {
				if c.lies || !in.Keep {
					count++
				}
			})
			options := []verify.Option{verify.WithState(func() any { return count })}
			for _, one := range c.cases {
				options = append(options, one)
			}
			seen := map[string]verify.Conclusion{}
			for _, j := range verify.Observe(t, tool, options...).Judgements {
				seen[j.Rule] = j.Conclusion
			}
			for rule, want := range c.want {
				assert.Equal(t, want, seen[rule], rule)
			}
		})
	}
}
