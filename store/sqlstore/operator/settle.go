package operator

import (
	"context"
	"errors"
	"flag"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/store"
	"github.com/toolcontract/toolcontract/store/sqlstore"
)

var settlements = map[string]store.Settlement{"ran": store.Happened, "did-not-run": store.DidNotHappen}

func settle(flags *flag.FlagSet, j *job) func(context.Context, []string) (int, error) {
	log := recordFlags(flags)
	return func(ctx context.Context, args []string) (int, error) {
		if settlements[args[2]] == 0 {
			return failed, usageError("the last argument must be ran or did-not-run")
		}
		if err := log.check(); err != nil {
			return failed, err
		}
		key, err := store.ParseKey(args[1])
		if err != nil {
			return failed, err
		}
		settled := settlements[args[2]]
		err = j.withStore(ctx, args[0], func(s *sqlstore.Store) error {
			// The same event as for Guard.ResolveUnknown.
			e := audit.Event{LookupKey: key.String(), AuditEvent: "idempotency.resolved: " + settled.String(), Stage: "resolveunknown"}
			return log.run(ctx, e, func() error { return store.Settle(ctx, s, key, settled) })
		})
		switch {
		case errors.Is(err, store.ErrNotFound):
			return failed, errors.New("there is no such record: it has expired, or the key belongs to another state")
		case errors.Is(err, store.ErrNotUnknown):
			return failed, errors.New("the outcome is not unknown: the call has ended with a record, or is still running")
		case err != nil:
			return failed, err
		case settled == store.Happened:
			return ok, j.print(nil, "settled: an equal call answers already_done")
		}
		return ok, j.print(nil, "settled: an equal call runs")
	}
}
