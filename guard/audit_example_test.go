package guard_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// While the audit log takes no events, this server does not even run reads.
func ExampleAuditLoss() {
	full := audit.Func(func(context.Context, audit.Event) error { return errors.New("the disk is full") })
	reported := make(chan int, 1)
	g, err := guard.New(asAnna(), guard.WithAudit(full, guard.AuditLoss{
		RefuseFrom: risk.Low,
		Report:     func(lost int) { reported <- lost },
	}))
	if err != nil {
		log.Fatal(err)
	}
	read := contract.New("notes.count", func(context.Context, struct{}) (struct{}, error) { return struct{}{}, nil }).
		Description("Counts the notes.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).MustBuild()
	tools, err := g.Protect(read)
	if err != nil {
		log.Fatal(err)
	}
	call(tools, "notes.count", `{}`)
	fmt.Println(<-reported, "event lost")
	fmt.Println(call(tools, "notes.count", `{}`).Outcome.Code)
	fmt.Println(g.Close(context.Background()) != nil)
	// Output:
	// 1 event lost
	// unavailable
	// true
}
