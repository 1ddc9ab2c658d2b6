package dryrun_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/dryrun"
)

type sendInput struct{ Segment string }

type sendPreview struct {
	RecipientCount int `json:"recipientCount"`
}

func previewSend(_ context.Context, in sendInput) (dryrun.Preview[sendPreview], error) {
	if in.Segment == "" {
		return dryrun.Preview[sendPreview]{Warnings: []string{"half done"}}, errNoSegment
	}
	return dryrun.Preview[sendPreview]{
		Data:                sendPreview{RecipientCount: 4821},
		MissingPermissions:  []string{"emails:send"},
		ExpectedSideEffects: []string{"4821 external emails will be sent."},
		Warnings:            []string{"12 addresses are undeliverable and will be skipped."},
		EstimatedDuration:   18400 * time.Millisecond,
	}, nil
}

var errNoSegment = errors.New("no such segment")

func ExampleBy() {
	preview := func(_ context.Context, in sendInput) (dryrun.Preview[sendPreview], error) {
		return dryrun.Preview[sendPreview]{
			Data:                sendPreview{RecipientCount: 4821},
			ExpectedSideEffects: []string{"4821 external emails will be sent."},
		}, nil
	}
	clause := dryrun.By(preview).Required()

	p, err := clause.Preview(context.Background(), sendInput{Segment: "active"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(clause.Mode(), clause.DataType())
	fmt.Println(p.Data.(sendPreview).RecipientCount, p.ExpectedSideEffects)
	// Output:
	// required dryrun_test.sendPreview
	// 4821 [4821 external emails will be sent.]
}

func TestClauseReturnsTheWholePreview(t *testing.T) {
	t.Parallel()
	clause := dryrun.By(previewSend)
	assert.NotZero(t, clause.Mode())
	assert.Equal(t, dryrun.Supported, clause.Mode())
	assert.Equal(t, reflect.TypeFor[sendPreview](), clause.DataType())

	want, err := previewSend(t.Context(), sendInput{Segment: "active"})
	require.NoError(t, err)
	got, err := clause.Preview(t.Context(), sendInput{Segment: "active"})
	require.NoError(t, err)
	assert.Equal(t, dryrun.Preview[any]{
		Data:                want.Data,
		MissingPermissions:  want.MissingPermissions,
		ExpectedSideEffects: want.ExpectedSideEffects,
		Warnings:            want.Warnings,
		EstimatedDuration:   want.EstimatedDuration,
	}, got)
}

func TestClauseReturnsTheErrorWithoutThePreview(t *testing.T) {
	t.Parallel()
	got, err := dryrun.By(previewSend).Preview(t.Context(), sendInput{})
	require.ErrorIs(t, err, errNoSegment)
	assert.Zero(t, got)
}

func TestClausePassesTheContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	clause := dryrun.By(func(ctx context.Context, _ sendInput) (dryrun.Preview[sendPreview], error) {
		return dryrun.Preview[sendPreview]{}, ctx.Err()
	})
	_, err := clause.Preview(ctx, sendInput{})
	assert.ErrorIs(t, err, context.Canceled)
}

func TestClauseWithoutFunction(t *testing.T) {
	t.Parallel()
	clauses := map[string]dryrun.Clause[sendInput]{
		"zero value":             {},
		"zero value, required":   dryrun.Clause[sendInput]{}.Required(),
		"nil function":           dryrun.By[sendInput, sendPreview](nil),
		"nil function, required": dryrun.By[sendInput, sendPreview](nil).Required(),
	}
	for name, clause := range clauses {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Zero(t, clause.Mode())
			assert.Zero(t, clause.Mode())
			assert.Nil(t, clause.DataType())
			_, err := clause.Preview(t.Context(), sendInput{})
			assert.EqualError(t, err, "dryrun: clause has no preview function")
		})
	}
}

func TestRequiredDoesNotChangeTheOriginal(t *testing.T) {
	t.Parallel()
	supported := dryrun.By(previewSend)
	required := supported.Required()
	assert.Equal(t, dryrun.Supported, supported.Mode())
	assert.Equal(t, dryrun.Required, required.Mode())
	assert.Equal(t, supported.DataType(), required.DataType())
	_, err := required.Preview(t.Context(), sendInput{Segment: "active"})
	assert.NoError(t, err)
}

func TestClauseHasTheInterfaceAsDataType(t *testing.T) {
	t.Parallel()
	clause := dryrun.By(func(context.Context, sendInput) (dryrun.Preview[fmt.Stringer], error) {
		return dryrun.Preview[fmt.Stringer]{}, nil
	})
	assert.Equal(t, reflect.TypeFor[fmt.Stringer](), clause.DataType())
	got, err := clause.Preview(t.Context(), sendInput{})
	require.NoError(t, err)
	assert.Nil(t, got.Data)
}
