package sqlstore_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/store/sqlstore"
	"github.com/toolcontract/toolcontract/store/sqlstore/internal/testing/servertest"
)

// MariaDB locks each row that a statement reads, and chooses by statistics by
// which index it reads them.
func TestMariaDB_ACallLocksNoRecordOfAnother(t *testing.T) {
	t.Parallel()
	db := servertest.MariaDB(t)
	s := open(t, db, sqlstore.MySQL)
	for range 60 { // partitions
		both := newMeeting(2)
		tool := atomicTool(func(ctx context.Context, _ bookIn) (bookOut, error) {
			_, err := sqlstore.Tx(ctx)
			both.attend(ctx)
			return bookOut{}, err
		}).Timeout(3 * time.Second)
		client := desk(t, s, tool).As(contract.Principal{Issuer: "test", Subject: t.Name() + time.Now().String()})
		var wait sync.WaitGroup
		for _, slot := range []string{"a", "b"} {
			wait.Go(func() {
				r, err := client.Try("visits.book", bookIn{slot})
				if assert.NoError(t, err) {
					assert.Empty(t, r.Outcome.Code, "the transaction of one call waited for the other one")
				}
			})
		}
		wait.Wait()
		if t.Failed() {
			return
		}
	}
}
