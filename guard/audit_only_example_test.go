package guard_test

import (
	"context"
	"fmt"
	"log"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/guard"
)

// A new limit is introduced. At first, the log only records which calls it
// would refuse.
func ExampleWithAuditOnly() {
	sink := audit.Func(func(_ context.Context, e audit.Event) error {
		fmt.Println("audit:", e.Decision, e.Status, e.AuditOnly)
		return nil
	})
	g, err := guard.New(asAnna(), guard.WithAudit(sink), guard.WithRateLimit(1, guard.DefaultRateTime),
		guard.WithAuditOnly("notes.add", "rateLimit"))
	if err != nil {
		log.Fatal(err)
	}
	tools, err := g.Protect(noteTool("notes.add").MustBuild())
	if err != nil {
		log.Fatal(err)
	}
	for range 2 {
		call(tools, "notes.add", `{"text":"buy milk"}`)
	}
	if err := g.Close(context.Background()); err != nil { // waits for the audit queue
		log.Fatal(err)
	}
	// Output:
	// audit: allow ok []
	// audit: allow ok [rateLimit]
}
