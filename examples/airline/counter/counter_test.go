package counter_test

import (
	"testing"

	"github.com/toolcontract/toolcontract/contracttest"
	"github.com/toolcontract/toolcontract/examples/airline/counter"
	"github.com/toolcontract/toolcontract/examples/airline/desk"
)

func TestContracts(t *testing.T) {
	t.Parallel()
	c := &counter.Counter{Desk: desk.New(&desk.Data{}), Now: counter.Opening}
	tools, err := c.Tools()
	if err != nil {
		t.Fatal(err)
	}
	contracttest.Check(t, tools...)
}
