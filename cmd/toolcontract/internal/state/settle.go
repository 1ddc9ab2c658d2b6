package state

import (
	"context"
	"errors"
	"flag"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/cli"
	"github.com/toolcontract/toolcontract/store"
	"github.com/toolcontract/toolcontract/store/sqlstore"
)

var settlements = map[string]store.Settlement{"ran": store.Happened, "did-not-run": store.DidNotHappen}

func settle(flags *flag.FlagSet, t *cli.Terminal) func(context.Context, []string) (cli.Status, error) {
	log := recordFlags(flags)
	return func(ctx context.Context, args []string) (cli.Status, error) {
		if len(args) != 3 || settlements[args[2]] == 0 {
			return cli.Failed, cli.Usage("a file or address, a lookup key, and ran or did-not-run are required")
		}
		if err := log.check(); err != nil {
			return cli.Failed, err
		}
		key, err := store.ParseKey(args[1])
		if err != nil {
			return cli.Failed, err
		}
		settled := settlements[args[2]]
		err = withStore(ctx, args[0], func(s *sqlstore.Store) error {
			// The same event as for Guard.ResolveUnknown.
			e := audit.Event{LookupKey: key.String(), AuditEvent: "idempotency.resolved: " + settled.String(), Stage: "resolveunknown"}
			return log.run(ctx, e, func() error { return store.Settle(ctx, s, key, settled) })
		})
		switch {
		case errors.Is(err, store.ErrNotFound):
			return cli.Failed, errors.New("there is no such record: it has expired, or the key belongs to another state")
		case errors.Is(err, store.ErrNotUnknown):
			return cli.Failed, errors.New("the outcome is not unknown: the call has ended with a record, or is still running")
		case err != nil:
			return cli.Failed, err
		case settled == store.Happened:
			return cli.OK, t.Print(nil, "settled: an equal call answers already_done")
		}
		return cli.OK, t.Print(nil, "settled: an equal call runs")
	}
}
