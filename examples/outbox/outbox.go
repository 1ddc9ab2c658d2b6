package main

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"net/url"
	"path/filepath"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/riverqueue/river/rivermigrate"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/serve/program"
	"github.com/toolcontract/toolcontract/store/sqlitefile"
	"github.com/toolcontract/toolcontract/store/sqlstore"
	"github.com/toolcontract/toolcontract/trust"
)

// An outbox offers the tool and sends its mails.
type outbox struct {
	path     string
	provider string
	rescue   time.Duration
	sent     func() // called when the provider has a mail; nil means nothing to call

	queue *river.Client[*sql.Tx]
}

type remindInput struct {
	Visit string `json:"visit" jsonschema:"minLength=1,maxLength=50" jsonschema_description:"Id of the visit."`
	To    string `json:"to" jsonschema:"format=email" jsonschema_description:"Address of the patient."`
}

type remindOutput struct {
	Visit string `json:"visit"`
}

// remind writes the reminder and the job of its mail in the transaction of the
// call.
func (o *outbox) remind(ctx context.Context, in remindInput) (remindOutput, error) {
	tx, err := sqlstore.SQLTx(ctx)
	if err != nil {
		return remindOutput{}, err
	}
	if _, err := tx.ExecContext(ctx, "INSERT INTO reminders (visit, recipient) VALUES ($1, $2)", in.Visit, in.To); err != nil {
		return remindOutput{}, err
	}
	key, _ := guard.IdempotencyKey(ctx)
	_, err = o.queue.InsertTx(ctx, tx, mail{Key: key, To: in.To, Visit: in.Visit}, nil)
	return remindOutput{in.Visit}, err
}

func (o *outbox) tools() ([]*contract.Tool, error) {
	return contract.BuildAll(contract.New("visits.remind", o.remind).
		Title("Remind patient").
		Description("Promises a mail that reminds the patient of a visit. The mail is sent soon after.").
		Version("1.0.0").
		Effect(risk.HighRiskWrite).
		Trust(trust.Trusted).
		Permissions("visits:remind").
		ConfirmNever("A reminder may be sent to every patient who has a visit.").
		Idempotency(contract.Idempotency{Mode: idempotency.Managed, KeyFields: []string{"visit"}, Atomic: true}).
		SideEffects(contract.SideEffect{
			Description: "The patient gets one mail.",
			Reach:       contract.External,
			Undo:        contract.Irreversible,
			OnRepeat:    "None for a day: the mail was promised already.",
		}).
		AuditEvent("visit.reminded"))
}

// open opens the file and starts the worker.
func (o *outbox) open() (program.Backend, error) {
	ctx := context.Background()
	file, err := sqlitefile.Open(o.path)
	if err != nil {
		return program.Backend{}, err
	}
	backend := program.Backend{Options: append(file.Options(), guard.WithNamespace("outbox")), Close: file.Close}
	_, err = file.DB().ExecContext(ctx, reminders)
	var own *sql.DB
	if err == nil {
		own, err = o.connection()
	}
	if err == nil {
		backend, err = o.work(ctx, backend.Closing(own.Close), riversqlite.New(own))
	}
	if err != nil {
		return program.Backend{}, errors.Join(err, backend.Close())
	}
	return backend, nil
}

const reminders = "CREATE TABLE IF NOT EXISTS reminders (visit TEXT NOT NULL, recipient TEXT NOT NULL)"

// connection returns a connection of the worker's own, as River recommends for
// SQLite.
func (o *outbox) connection() (*sql.DB, error) {
	path, err := filepath.Abs(o.path)
	if err != nil {
		return nil, err
	}
	db, err := sql.Open("sqlite", (&url.URL{
		Scheme: "file", Path: filepath.ToSlash(path), RawQuery: "_pragma=busy_timeout(5000)&_txlock=immediate",
	}).String())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	return db, nil
}

// work starts the worker.
func (o *outbox) work(ctx context.Context, backend program.Backend, driver riverdriver.Driver[*sql.Tx]) (program.Backend, error) {
	migrator, err := rivermigrate.New(driver, &rivermigrate.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return backend, err
	}
	if _, err := migrator.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return backend, err
	}
	workers := river.NewWorkers()
	river.AddWorker(workers, &sender{outbox: o})
	o.queue, err = river.NewClient(driver, &river.Config{
		Queues:               map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: 2}},
		Workers:              workers,
		JobTimeout:           min(o.rescue, 10*time.Second),
		RescueStuckJobsAfter: o.rescue,
		FetchPollInterval:    200 * time.Millisecond,
		Logger:               slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return backend, err
	}
	if err := o.queue.Start(ctx); err != nil {
		return backend, err
	}
	last := backend.Close
	backend.Close = func() error { return errors.Join(o.queue.Stop(ctx), last()) }
	return backend, nil
}
