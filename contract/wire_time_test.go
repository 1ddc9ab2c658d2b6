package contract_test

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/idempotency"
)

func TestTimes_AreWholeUnitsInJSON(t *testing.T) {
	t.Parallel()
	limit := contract.RateLimit{Calls: 3, Per: time.Minute}
	d := contract.Document{
		Format: 1, Name: "notes.keep", Timeout: 1500 * time.Millisecond,
		RateLimit: &limit, TotalRateLimit: &limit, RetryBudget: &contract.RetryBudget{Failures: 2, Window: time.Hour},
		StepUp:      &contract.StepUp{MaxAge: 5 * time.Minute},
		Idempotency: &contract.Idempotency{Mode: idempotency.Managed, Retention: 24 * time.Hour, ArgumentsRetention: time.Minute},
	}
	text, err := json.Marshal(d)
	require.NoError(t, err)
	assert.JSONEq(t, `{"format":1,"name":"notes.keep","autonomous":false,"timeoutMs":1500,
		"rateLimit":{"calls":3,"perSeconds":60},"totalRateLimit":{"calls":3,"perSeconds":60},
		"retryBudget":{"failures":2,"windowSeconds":3600},"stepUp":{"maxAgeSeconds":300},
		"idempotency":{"mode":"managed","retentionSeconds":86400,"argumentsRetentionSeconds":60}}`, string(text))

	var read contract.Document
	require.NoError(t, json.Unmarshal(text, &read))
	assert.Equal(t, d, read)
	read, err = contract.ParseDocument(text)
	require.NoError(t, err)
	assert.Equal(t, d, read)
}

func TestTimes_OfOtherServersCannotOverflow(t *testing.T) {
	t.Parallel()
	var d contract.Document
	require.NoError(t, json.Unmarshal([]byte(`{"timeoutMs":9223372036854775807,"rateLimit":{"calls":1,`+
		`"perSeconds":-9223372036854775808}}`), &d))
	assert.Equal(t, time.Duration(math.MaxInt64).Truncate(time.Millisecond), d.Timeout)
	assert.Equal(t, -time.Duration(math.MaxInt64).Truncate(time.Second), d.RateLimit.Per)
}

func TestParseDocument_RefusesUnknownMembersOfClausesWithTimes(t *testing.T) {
	t.Parallel()
	for _, clause := range []string{
		`"rateLimit":{"calls":1,"perSeconds":1,"x":1}`, `"totalRateLimit":{"calls":1,"Per":1}`, `"stepUp":{"acr":"mfa","x":1}`,
		`"retryBudget":{"failures":1,"windowSeconds":1,"x":1}`, `"idempotency":{"mode":"native","x":1}`,
	} {
		_, err := contract.ParseDocument([]byte(`{"format":1,"name":"notes.keep",` + clause + `}`))
		assert.Error(t, err, clause)
		var d contract.Document
		assert.NoError(t, json.Unmarshal([]byte(`{"format":1,"name":"notes.keep",`+clause+`}`), &d), "a later version may have it: %s",
			clause)
	}
}
