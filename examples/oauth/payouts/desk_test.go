package payouts

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contracttest"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

func TestTools_DeclareTheirContracts(t *testing.T) {
	t.Parallel()
	tools, err := NewDesk().Tools()
	require.NoError(t, err)
	contracttest.Check(t, tools...)
	tests := []struct {
		name       string
		risk       risk.Level
		trust      trust.Level
		permission string
		stepUp     bool
	}{
		{"account.read", risk.Low, trust.Sensitive, "account:read", false},
		{"payouts.list", risk.Low, trust.Untrusted, "payouts:read", false},
		{"payouts.release", risk.High, trust.Trusted, "payouts:release", true},
	}
	require.Len(t, tools, len(tests))
	for i, tt := range tests {
		doc := tools[i].Document()
		assert.Equal(t, tt.name, doc.Name)
		assert.Equal(t, tt.risk, doc.Risk)
		assert.Equal(t, tt.trust, doc.ContentTrust)
		assert.Equal(t, []string{tt.permission}, doc.Permissions)
		assert.Equal(t, contract.ConfirmationNever, doc.Confirmation)
		assert.Equal(t, tt.stepUp, doc.StepUp != nil)
	}
	assert.Equal(t, &contract.StepUp{When: "Every release.", MaxAge: 5 * time.Minute, ACR: "mfa"}, tools[2].Document().StepUp)
}

func TestRelease_PaysOutOrRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, id string
		want     *contract.Failure
		pointer  string
	}{
		{"a waiting payout", "po_1001", nil, ""},
		{"an unknown payout", "po_9", ErrUnknownPayout, "/payoutId"},
		{"a payout on hold", "po_1003", ErrOnHold, ""},
		{"a payout that exceeds the balance", "po_1004", ErrInsufficientFunds, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := NewDesk()
			before := d.all()
			out, err := d.release(t.Context(), ReleaseInput{tt.id})
			if tt.want == nil {
				require.NoError(t, err)
				assert.EqualValues(t, 1_250_00, out.AmountMinor)
				assert.EqualValues(t, 18_750_00, d.Balance())
				_, err = d.release(t.Context(), ReleaseInput{tt.id})
				require.ErrorIs(t, err, ErrReleased)
				assert.EqualValues(t, 18_750_00, d.Balance())
				return
			}
			require.ErrorIs(t, err, tt.want)
			failure, ok := errors.AsType[*contract.Error](err)
			require.True(t, ok)
			assert.Equal(t, tt.pointer, failure.Pointer())
			assert.Equal(t, before, d.all())
			assert.EqualValues(t, 20_000_00, d.Balance())
		})
	}
}

func TestList_FiltersByStatus(t *testing.T) {
	t.Parallel()
	d := NewDesk()
	for in, want := range map[status][]string{
		"": {"po_1001", "po_1002", "po_1003", "po_1004"}, waiting: {"po_1001", "po_1002", "po_1004"}, onHold: {"po_1003"},
		released: nil,
	} {
		out, err := d.list(t.Context(), ListInput{in})
		require.NoError(t, err)
		var ids []string
		for _, p := range out.Payouts {
			ids = append(ids, p.PayoutID)
		}
		assert.Equal(t, want, ids, in)
	}
	assert.Len(t, d.all(), 4, "lists do not share memory with the desk")
}
