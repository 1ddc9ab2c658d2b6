package guard_test

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
)

// panicking returns a tool that panics in one of two places.
func panicking(name string) *contract.Tool {
	return contract.New(name, func(_ context.Context, in payInput) (payOutput, error) {
		if in.Pay.Amount == 11 {
			panic("elsewhere")
		}
		explode()
		return payOutput{}, nil
	}).From(writing()).MustBuild()
}

// flooded calls a tool so often that its caller could fill the log.
func (k *kit) flooded(tool, arguments string, times int) {
	for range times {
		k.call(alice, tool, arguments)
	}
}

func TestPanic_FloodIsLoggedOnceWithTheCountOfTheRest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		log := &serverLog{}
		k := newKit(t, []*contract.Tool{panicking("pay.now"), panicking("pay.later")}, log.option(), unlimited, guard.WithRetryBudget(0,
			0))
		k.flooded("pay.now", validPay, 1000)
		lines := log.lines(t)
		require.Len(t, lines, 1)
		assert.NotEmpty(t, lines[0].Stack)
		k.flooded("pay.now", `{"pay":{"amount":11}}`, 10)
		k.flooded("pay.later", validPay, 10)
		lines = log.lines(t)
		require.Len(t, lines, 3, "a panic in another place or of another tool has its own line")
		assert.Equal(t, "pay.later", lines[2].Tool)

		time.Sleep(10*time.Second - 1)
		synctest.Wait()
		require.Len(t, log.lines(t), 3)
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		lines = log.lines(t)
		require.Len(t, lines, 6)
		left := map[string]int{}
		for _, line := range lines[3:] {
			assert.Equal(t, "ERROR", line.Level)
			assert.Empty(t, line.Stack)
			left[fmt.Sprint(line.Tool, " ", line.LeftOut)]++
		}
		assert.Equal(t, map[string]int{"pay.now 999": 1, "pay.now 9": 1, "pay.later 9": 1}, left)

		k.flooded("pay.now", validPay, 2)
		lines = log.lines(t)
		require.Len(t, lines, 7)
		assert.NotEmpty(t, lines[6].Stack, "the stack is logged again after the interval")
		require.NoError(t, k.guard.Close(t.Context()))
		lines = log.lines(t)
		require.Len(t, lines, 8, "Close logs what is left")
		assert.Equal(t, 1, lines[7].LeftOut)
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.Len(t, log.lines(t), 8)
	})
}

func TestPanic_SinglePanicsAreAllLogged(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		log := &serverLog{}
		k := newKit(t, []*contract.Tool{panicking("pay.now")}, log.option(), guard.WithRetryBudget(0, 0))
		for range 5 {
			k.call(alice, "pay.now", validPay)
			time.Sleep(11 * time.Second)
		}
		require.NoError(t, k.guard.Close(t.Context()))
		lines := log.lines(t)
		require.Len(t, lines, 5)
		for _, line := range lines {
			assert.NotEmpty(t, line.Stack)
		}
	})
}

// However many tools panic, the guard remembers a bounded number of places.
func TestPanic_PlacesAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const n = 300
		log := &serverLog{}
		var tools []*contract.Tool
		for i := range n {
			tools = append(tools, panicking(fmt.Sprintf("pay.n%d", i)))
		}
		k := newKit(t, tools, log.option(), unlimited)
		for i := range n {
			k.call(alice, fmt.Sprintf("pay.n%d", i), validPay)
		}
		assert.Less(t, len(log.lines(t)), n)
		require.NoError(t, k.guard.Close(t.Context()))
		stacks, left := 0, 0
		for _, line := range log.lines(t) {
			left += line.LeftOut
			if line.Stack != "" {
				stacks++
			}
		}
		assert.Equal(t, n, stacks+left, "every panic is logged or counted")
	})
}

func TestPanic_LoggerThatPanicsBreaksNoCount(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		k := newKit(t, []*contract.Tool{panicking("pay.now")}, guard.WithLogger(slog.New(panickingHandler{})), guard.WithRetryBudget(0,
			0))
		k.flooded("pay.now", validPay, 3)
		time.Sleep(time.Minute)
		synctest.Wait()
		k.flooded("pay.now", validPay, 3)
		require.NoError(t, k.guard.Close(t.Context()))
	})
}
