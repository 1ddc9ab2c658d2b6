package operator

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/store"
)

func rotate(flags *flag.FlagSet, j *job) func(context.Context, []string) (int, error) {
	log := recordFlags(flags)
	return func(ctx context.Context, args []string) (int, error) {
		if strings.Contains(args[0], "://") {
			return failed, errors.New("the servers of a database have its sealing keys: put a new one first there")
		}
		if err := log.check(); err != nil {
			return failed, err
		}
		s, err := j.ofFile(args[0])
		if err != nil {
			return failed, err
		}
		found, err := j.inspect(ctx, s)
		if err != nil {
			return failed, err
		}
		e := audit.Event{AuditEvent: "state.rotated", Stage: "rotate"}
		text := "a new key seals from now on; restart the servers that use the file"
		if _, err := os.Stat(s.path + ".keys"); errors.Is(err, fs.ErrNotExist) {
			e.AuditEvent += ": the former keys were missing"
			text = fmt.Sprintf("%s.keys was missing, and has a new key now. The results of %d calls cannot be read, so equal calls "+
				"answer already_done; open questions are asked again. If you find the former keys, append their lines to the file.",
				s.path, found.Records[store.Completed]+found.Records[store.Failed])
		}
		if err := log.run(ctx, e, func() error { return j.Rotate(s.path) }); err != nil {
			return failed, err
		}
		return ok, j.print(nil, text)
	}
}

func backup(_ *flag.FlagSet, j *job) func(context.Context, []string) (int, error) {
	return func(ctx context.Context, args []string) (int, error) {
		if strings.Contains(args[0], "://") {
			return failed, errors.New("a database is copied by its own tool, such as pg_dump; copy the sealing keys and the audit " +
				"log of its servers with it")
		}
		s, err := j.ofFile(args[0])
		if err != nil {
			return failed, err
		}
		if err := j.Backup(ctx, s.path, args[1]); err != nil {
			return failed, err
		}
		return ok, j.print(nil, fmt.Sprintf("copied to %s and %[1]s.keys; copy the audit log now", args[1]))
	}
}
