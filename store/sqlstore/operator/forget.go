package operator

import (
	"context"
	"flag"
	"fmt"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/store"
	"github.com/toolcontract/toolcontract/store/sqlstore"
)

func forget(flags *flag.FlagSet, j *job) func(context.Context, []string) (int, error) {
	log := recordFlags(flags)
	var of store.Scope
	flags.StringVar(&of.Principal, "principal", "", "the `NAME` of the principal, as the audit log has it")
	flags.StringVar(&of.Issuer, "issuer", contract.LocalIssuer, "the `ISSUER` of the principal, as the audit log has it")
	flags.StringVar(&of.Tenant, "tenant", "", "the `TENANT` of the principal, as the audit log has it")
	flags.StringVar(&of.Namespace, "namespace", j.Namespace, "the `NAMESPACE` of the server: with -state, the server's name")
	return func(ctx context.Context, args []string) (int, error) {
		if of.Principal == "" {
			return failed, usageError("-principal is required")
		}
		if err := log.check(); err != nil {
			return failed, err
		}
		records := int64(0)
		err := j.withStore(ctx, args[0], func(s *sqlstore.Store) error {
			// The partition of their lookup keys identifies the principal's
			// calls in the log without naming the principal.
			e := audit.Event{AuditEvent: "state.forgotten: " + of.Key("").Partition.String(), Stage: "forget"}
			return log.run(ctx, e, func() (err error) {
				records, err = s.Forget(ctx, of)
				return err
			})
		})
		switch {
		case err != nil:
			return failed, err
		case records == 0:
			return nothing, j.print(nil, "no records of this principal: compare the flags with its events in the audit log, and "+
				"-namespace with the server's name")
		}
		return ok, j.print(nil, fmt.Sprintf("records removed: %d", records))
	}
}
