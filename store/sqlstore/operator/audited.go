package operator

import (
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/user"
	"time"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
)

// A record is the audit log of a change, and the person making it.
type record struct{ log, operator string }

// recordFlags declares the flags of a command that changes a state.
func recordFlags(flags *flag.FlagSet) *record {
	r := &record{operator: localUser()}
	flags.StringVar(&r.log, "audit", "", "append the change to the audit log in `FILE|DIR`; a file must not be in use")
	flags.StringVar(&r.operator, "operator", r.operator, "the `NAME` of the person who makes the change")
	return r
}

func localUser() string {
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return ""
}

// check returns an error if the change could not be recorded.
func (r *record) check() error {
	switch {
	case r.log == "":
		return usageError("-audit is required: name the audit log of the server, or a folder")
	case r.operator == "":
		return usageError("-operator is empty")
	}
	return nil
}

// run makes a change and records it as the given event: the intent is on disk
// before the change, and the outcome follows it.
func (r *record) run(ctx context.Context, e audit.Event, change func() error) (err error) {
	log, err := r.open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	e.CallID = rand.Text()
	e.Decision = audit.Allow
	e.Issuer, e.Principal, e.Agent = contract.LocalIssuer, r.operator, true // nothing proves that it is a person
	e.Time = time.Now()
	e.Kind = audit.Intent
	if err := log.Write(ctx, e); err != nil {
		return err
	}
	begin := time.Now()
	changed := change()
	e.Kind = audit.Terminal
	e.Status = contract.StatusOK.String()
	e.Time = time.Now()
	e.Duration = e.Time.Sub(begin)
	if changed != nil {
		e.Status = contract.StatusError.String()
		e.Error = changed.Error()
	}
	if err := log.Write(context.WithoutCancel(ctx), e); err != nil {
		return errors.Join(changed, fmt.Errorf("the outcome of the change is not in the audit log: %w", err))
	}
	return changed
}

func (r *record) open() (*audit.FileSink, error) {
	info, err := os.Stat(r.log)
	if err == nil && info.IsDir() || os.IsPathSeparator(r.log[len(r.log)-1]) {
		return audit.OpenFolder(r.log, 0)
	}
	return audit.OpenFile(r.log)
}
