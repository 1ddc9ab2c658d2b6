package state

import (
	"context"
	"flag"
	"fmt"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/cli"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/store"
	"github.com/toolcontract/toolcontract/store/sqlstore"
)

func forget(flags *flag.FlagSet, t *cli.Terminal) func(context.Context, []string) (cli.Status, error) {
	log := recordFlags(flags)
	var of store.Scope
	flags.StringVar(&of.Principal, "principal", "", "the `NAME` of the principal, as the audit log has it")
	flags.StringVar(&of.Issuer, "issuer", contract.LocalIssuer, "the `ISSUER` of the principal, as the audit log has it")
	flags.StringVar(&of.Tenant, "tenant", "", "the `TENANT` of the principal, as the audit log has it")
	flags.StringVar(&of.Namespace, "namespace", "", "the `NAMESPACE` of the server: with -state, the server's name")
	return func(ctx context.Context, args []string) (cli.Status, error) {
		switch {
		case len(args) != 1:
			return cli.Failed, cli.Usage("one file or address is required")
		case of.Principal == "":
			return cli.Failed, cli.Usage("-principal is required")
		}
		if err := log.check(); err != nil {
			return cli.Failed, err
		}
		records := int64(0)
		err := withStore(ctx, args[0], func(s *sqlstore.Store) error {
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
			return cli.Failed, err
		case records == 0:
			return cli.Bad, t.Print(nil, "no records of this principal: compare the flags with its events in the audit log, and "+
				"-namespace with the server's name")
		}
		return cli.OK, t.Print(nil, fmt.Sprintf("records removed: %d", records))
	}
}
