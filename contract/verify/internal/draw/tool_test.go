package draw_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/internal/bound"
	"github.com/toolcontract/toolcontract/contract/verify/internal/draw"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

type bookingInput struct {
	From  time.Time        `json:"from"`
	Wait  time.Duration    `json:"wait,omitempty"`
	Seats int8             `json:"seats" jsonschema:"minimum=1,maximum=9"`
	Names []string         `json:"names" jsonschema:"minItems=1"`
	Price map[string]int64 `json:"price,omitempty"`
	Note  *string          `json:"note"`
	Key   [4]byte          `json:"key"`
}

func TestForTool_DrawsWhatTheToolReads(t *testing.T) {
	t.Parallel()
	run := func(context.Context, bookingInput) (struct{ ID string }, error) { return struct{ ID string }{}, nil }
	tool, err := contract.New("seats.book",
		run).Description("Books seats.").Version("1.0.0").Effect(risk.LowRiskWrite).Trust(trust.Trusted).
		Permissions("seats:book").
		DryRun(dryrun.By(func(context.Context, bookingInput) (dryrun.Preview[struct{ ID string }], error) {
			return dryrun.Preview[struct{ ID string }]{}, nil
		})).Build()
	require.NoError(t, err)
	s, err := draw.ForTool(tool)
	require.NoError(t, err)
	assert.Empty(t, s.Gaps())
	for seed := range uint64(200) {
		v := s.Valid(draw.Random(seed))
		_, violations := bound.Of(tool).Decode(v.JSON)
		require.Empty(t, violations, string(v.JSON))
		assert.NotContains(t, v.Tree, "dryRun")
		b := s.Broken(draw.Random(seed))
		_, violations = bound.Of(tool).Decode(b.JSON)
		require.Len(t, violations, 1, string(b.JSON))
		assert.Equal(t, "schema."+b.Keyword, violations[0].Rule)
	}
}
