package main

import (
	"context"
	"database/sql"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/examples/internal/exampletest"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/serve/program"
)

// The points at which a server of these tests stops.
const (
	afterCommit = "commit" // before a worker has the job
	afterSend   = "send"   // before the job is complete
)

func TestMain(m *testing.M) { exampletest.Main(m, serve, "-names", "dotted", "-rescue", "1s") }

// serve runs the example with two more flags, -hold and -postgres.
func serve() int {
	o, hold, postgres := new(outbox), "", ""
	s := server(o)
	flags, open := s.Flags, s.OpenBackend
	s.Flags = func(set *flag.FlagSet) {
		flags(set)
		set.StringVar(&hold, "hold", "", "stop at this `POINT`: commit, send, or with -postgres a number")
		set.StringVar(&postgres, "postgres", "", "keep everything in the database with this `URL`")
	}
	s.OpenBackend = func() (program.Backend, error) {
		if postgres != "" {
			open = func() (program.Backend, error) { return o.openPostgres(postgres, hold) }
		}
		if hold == afterSend {
			o.sent = stop
		}
		backend, err := open()
		if hold == afterCommit && err == nil {
			err = o.queue.Stop(context.Background())
		}
		backend.Options = append(backend.Options, guard.WithTimes(guard.Times{StoreTimeout: time.Second, Lease: 4 * time.Second}))
		return backend, err
	}
	return s.Main(os.Args[1:], os.Stdout, os.Stderr)
}

// stop reports to the test that the point is reached, and never returns.
func stop() {
	fmt.Fprintln(os.Stderr, "holding")
	select {}
}

// A provider sends each key once.
type provider struct {
	mu    sync.Mutex
	posts map[string]int // by key
}

func (p *provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.posts[r.Header.Get("Idempotency-Key")]++
	w.WriteHeader(http.StatusNoContent)
}

// counts returns the numbers of mails and of posts.
func (p *provider) counts() (mails, posts int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, n := range p.posts {
		posts += n
	}
	return len(p.posts), posts
}

const visit = `{"visit":"v-1","to":"anna@example.com"}`

func TestCrash_LeavesOneMail(t *testing.T) {
	t.Parallel()
	for point, tt := range map[string]struct {
		sdk  string
		want int
	}{
		afterCommit: {"official", 1},
		afterSend:   {"mcp-go", 2},
	} {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			p := &provider{posts: map[string]int{}}
			web := httptest.NewServer(p)
			t.Cleanup(web.Close)
			path := filepath.Join(t.TempDir(), "outbox.db")
			flags := []string{"-db", path, "-provider", web.URL, "-sdk", tt.sdk}

			first := exampletest.Start(t, append(flags, "-hold", point)...)
			_, outcome := exampletest.Call(t, exampletest.As(t, first.URL, "alice", exampletest.Modern), "visits.remind", visit)
			require.Equal(t, contract.StatusOK, outcome.Status)
			if point == afterSend {
				require.True(t, <-first.Until("holding"))
			}
			first.Kill(t)

			again := exampletest.As(t, exampletest.Serve(t, flags...), "alice", exampletest.Modern)
			_, outcome = exampletest.Call(t, again, "visits.remind", visit)
			assert.Equal(t, contract.StatusReplayed, outcome.Status)
			db, err := sql.Open("sqlite", path)
			require.NoError(t, err)
			t.Cleanup(func() { assert.NoError(t, db.Close()) })
			assert.Equal(t, tt.want, p.sent(t, db))
		})
	}
}

// sent waits until the job of a mail is complete. It fails the test unless the
// tables have one reminder and one job, and the provider one mail. It returns
// the number of posts.
func (p *provider) sent(t *testing.T, db *sql.DB) int {
	t.Helper()
	var all [3]int
	require.Eventually(t, func() bool {
		err := db.QueryRowContext(t.Context(), "SELECT (SELECT count(*) FROM river_job WHERE state = 'completed'), "+
			"(SELECT count(*) FROM river_job), (SELECT count(*) FROM reminders)").Scan(&all[0], &all[1], &all[2])
		return err == nil && all[0] > 0
	}, time.Minute, 100*time.Millisecond)
	assert.Equal(t, [3]int{1, 1, 1}, all)
	mails, posts := p.counts()
	assert.Equal(t, 1, mails)
	return posts
}
