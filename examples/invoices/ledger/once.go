package ledger

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"time"
)

// Retention is how long the key of an execution is kept. Later the same key
// stands for a new call, so that an equal invoice can be created next month.
const Retention = 24 * time.Hour

// ErrKeyReused is returned for an execution whose key belongs to another
// request.
var ErrKeyReused = errors.New("ledger: the key belongs to another request")

// An Execution identifies the call that causes a change.
type Execution struct {
	// Key is the same for all executions of one call. Empty means that the
	// change takes place each time.
	Key string
	// Request is what the call asks for. It is compared by its JSON.
	Request any
}

// once runs do in a transaction, and stores its result under the key of the
// execution in the same transaction. If an earlier execution of the call has
// been committed, it returns the result of that one instead.
func once[T any](ctx context.Context, l *Ledger, e Execution, do func(context.Context, *sql.Tx) (T, error)) (T, error) {
	var result T
	err := l.transact(ctx, func(ctx context.Context, tx *sql.Tx) error {
		found, err := l.earlier(ctx, tx, e, &result)
		if err != nil || found {
			return err
		}
		if result, err = do(ctx, tx); err != nil {
			return err
		}
		return l.remember(ctx, tx, e, result)
	})
	return result, err
}

// earlier reads the result of an earlier execution, if there is one.
func (l *Ledger) earlier(ctx context.Context, tx *sql.Tx, e Execution, result any) (bool, error) {
	if _, err := tx.ExecContext(ctx, "DELETE FROM executions WHERE at < ?", l.time().Add(-Retention)); err != nil {
		return false, err
	}
	request, err := json.Marshal(e.Request)
	if err != nil {
		return false, err
	}
	var asked, stored string
	err = tx.QueryRowContext(ctx, "SELECT request, result FROM executions WHERE key = ?", e.Key).Scan(&asked, &stored)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return false, nil
	case err != nil:
		return false, err
	case asked != string(request):
		return false, ErrKeyReused
	}
	return true, json.Unmarshal([]byte(stored), result)
}

func (l *Ledger) remember(ctx context.Context, tx *sql.Tx, e Execution, result any) error {
	if e.Key == "" {
		return nil
	}
	request, err := json.Marshal(e.Request)
	if err != nil {
		return err
	}
	stored, err := json.Marshal(result)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, "INSERT INTO executions (key, request, result, at) VALUES (?, ?, ?, ?)", e.Key,
		string(request), string(stored), l.time())
	return err
}
