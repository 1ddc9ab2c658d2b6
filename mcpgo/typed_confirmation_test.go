package mcpgo_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/risk"
)

// burn returns a tool that a person confirms by typing the text of the note.
func burn(n *tools) *contract.Tool {
	return contract.New("notes.burn", func(_ context.Context, in noteIn) (addOut, error) {
		n.Notes.Add(1)
		return addOut{}, nil
	}).Description("Burns a note.").Version("1.0.0").Effect(risk.LowRiskWrite).Permissions("notes:write").ConfirmAlways().
		ConfirmTyping(func(in noteIn) string { return in.Text }).MustBuild()
}

func TestTypedConfirmation_AsksForOneText(t *testing.T) {
	t.Parallel()
	sdktest.EachEra(t, func(t *testing.T, e era) {
		for name, c := range map[string]struct {
			content any
			code    string
			asked   int64
		}{
			"the word":      {map[string]any{"word": "x"}, "", 1},
			"another word":  {map[string]any{"word": "y"}, contract.CodeConfirmationDeclined, 3},
			"a tick":        {map[string]any{"confirm": true}, contract.CodeConfirmationDeclined, 1},
			"empty content": {map[string]any{}, contract.CodeConfirmationDeclined, 1},
		} {
			n := &tools{}
			k := newKit(t, []*contract.Tool{burn(n)})
			k.serveSessions()
			p := &person{answer: mcp.ElicitationResponse{Action: mcp.ElicitationResponseActionAccept, Content: c.content}}
			r, err := callTool(t.Context(), k.clientOf(e, "alice", p), "notes.burn", map[string]any{"text": "x"})
			require.NoError(t, err)
			assert.Equal(t, c.code, outcomeOf(t, r).Code, name)
			assert.Equal(t, c.asked, p.asked.Load(), name)
			assert.Equal(t, c.code == "", n.Notes.Load() == 1, name)

			raw, err := json.Marshal(p.last.Load().RequestedSchema)
			require.NoError(t, err)
			assert.JSONEq(t, `{"type":"object","properties":{"word":{"type":"string","title":"Type to confirm","description":"Type x to `+
				`run notes.burn with exactly these arguments, once."}},"required":["word"]}`, string(raw))
		}
	})
}
