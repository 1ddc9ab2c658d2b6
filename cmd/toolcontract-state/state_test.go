package main

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contracttest"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/store"
	"github.com/toolcontract/toolcontract/store/sqlitefile"
	"github.com/toolcontract/toolcontract/trust"
)

// run runs a command line.
func run(t *testing.T, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	status = program.Run(args, &out, &errs)
	return status, out.String(), errs.String()
}

// state is the JSON form that scripts read.
type state struct {
	FileBytes, Principals, ResultBytes, Nonces, Counts int64
	Records                                            map[string]int64
	Unknown                                            []struct {
		LookupKey    string
		Since, Until time.Time
	}
}

func stateOf(t *testing.T, path string) (s state) {
	t.Helper()
	status, stdout, stderr := run(t, "show", "-json", path)
	require.Zero(t, status, stderr)
	require.NoError(t, json.Unmarshal([]byte(stdout), &s))
	return s
}

type bookIn struct {
	Number int `json:"number"`
}

// serve returns a client of a server that uses the file, set up as package
// program does it.
func serve(t *testing.T, path, principal string, book contract.Handler[bookIn, bookIn]) *contracttest.Client {
	t.Helper()
	f, err := sqlitefile.Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, f.Close()) })
	tool := contract.New("visits.book", book).Description("Books a visit.").Version("1.0.0").Effect(risk.LowRiskWrite).
		Trust(trust.Trusted).NoPermissions("The desk is open to its user.").
		Idempotency(contract.Idempotency{Mode: idempotency.Managed, KeyFields: []string{"number"}}).MustBuild()
	return contracttest.NewClient(t, []*contract.Tool{tool}, append(f.Options(), guard.WithNamespace("desk"))...).
		As(contract.Principal{Issuer: contract.LocalIssuer, Subject: principal})
}

func echo(_ context.Context, in bookIn) (bookIn, error) { return in, nil }

func once(t *testing.T) contract.Handler[bookIn, bookIn] {
	return func(_ context.Context, in bookIn) (bookIn, error) {
		t.Error("the call ran again")
		return in, nil
	}
}

// newState returns a file with two calls by ada, one by bob, and one by bob
// with an unknown outcome.
func newState(t *testing.T) (path, log string) {
	t.Helper()
	folder := t.TempDir()
	path = filepath.Join(folder, "state.db")
	t.Run("calls", func(t *testing.T) {
		serve(t, path, "ada", echo).Call("visits.book", bookIn{1})
		serve(t, path, "ada", echo).Call("visits.book", bookIn{2})
		serve(t, path, "bob", echo).Call("visits.book", bookIn{1})
		_, err := serve(t, path, "bob", func(context.Context, bookIn) (bookIn, error) { panic("broken") }).
			Try("visits.book", bookIn{2})
		require.NoError(t, err)
	})
	return path, filepath.Join(folder, "audit.jsonl")
}

func TestShow_HasTheRecordsAndTheUnknownOutcomes(t *testing.T) {
	t.Parallel()
	path, _ := newState(t)
	s := stateOf(t, path)
	assert.EqualValues(t, 2, s.Principals)
	assert.Equal(t, map[string]int64{"in_progress": 0, "completed": 3, "failed": 0, "unknown": 1}, s.Records)
	assert.Positive(t, s.FileBytes)
	require.Len(t, s.Unknown, 1)
	assert.WithinDuration(t, time.Now(), s.Unknown[0].Since, 5*time.Minute)
	_, text, _ := run(t, "show", path)
	assert.Contains(t, text, "calls completed                   3\n")
	assert.Contains(t, text, s.Unknown[0].LookupKey+"\n  since ")
}

// events returns the events of a log, whose chain must be unbroken.
func events(t *testing.T, log string) (all []audit.Event) {
	t.Helper()
	text, err := os.ReadFile(log)
	require.NoError(t, err)
	_, err = audit.Verify(bytes.NewReader(text), "")
	require.NoError(t, err)
	for line := range bytes.Lines(text) {
		var e audit.Event
		require.NoError(t, json.Unmarshal(line, &e))
		all = append(all, e)
	}
	return all
}

func TestSettle_RecordsWhatHappenedUnderTheOperator(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		outcome, event string
		after          func(t *testing.T, path string)
	}{
		{"ran", "idempotency.resolved: happened", func(t *testing.T, path string) {
			r := serve(t, path, "bob", once(t)).Call("visits.book", bookIn{2})
			assert.Equal(t, contract.CodeAlreadyDone, r.Outcome.Code)
		}},
		{"did-not-run", "idempotency.resolved: did not happen", func(t *testing.T, path string) {
			r := serve(t, path, "bob", echo).Call("visits.book", bookIn{2})
			assert.Equal(t, contract.StatusOK, r.Outcome.Status)
		}},
	} {
		t.Run(tt.outcome, func(t *testing.T) {
			t.Parallel()
			path, log := newState(t)
			key := stateOf(t, path).Unknown[0].LookupKey
			args := []string{"settle", "-audit", log, "-operator", "carol", path, key, tt.outcome}
			status, _, stderr := run(t, args...)
			require.Zero(t, status, stderr)
			assert.Empty(t, stateOf(t, path).Unknown)
			tt.after(t, path)

			status, _, stderr = run(t, args...)
			assert.Equal(t, 2, status)
			assert.Contains(t, stderr, "not unknown", "it was settled, or has run since")
			all := events(t, log)
			require.Len(t, all, 4)
			for i, e := range all {
				assert.Equal(t, []audit.Kind{audit.Intent, audit.Terminal}[i%2], e.Kind)
				assert.Equal(t, "carol", e.Principal)
				assert.Equal(t, tt.event, e.AuditEvent)
				assert.Equal(t, key, e.LookupKey)
			}
			assert.Equal(t, []string{"ok", "error"}, []string{all[1].Status, all[3].Status})
		})
	}
}

func TestForget_RemovesThePrincipalAndNothingElse(t *testing.T) {
	t.Parallel()
	path, log := newState(t)
	me, err := user.Current()
	require.NoError(t, err)
	status, stdout, _ := run(t, "forget", "-audit", log, "-principal", "ada", path)
	assert.Equal(t, 1, status)
	assert.Contains(t, stdout, "-namespace", "of another server")
	status, stdout, stderr := run(t, "forget", "-audit", log, "-namespace", "desk", "-principal", "ada", path)
	require.Zero(t, status, stderr)
	assert.Equal(t, "records removed: 2\n", stdout)
	assert.Equal(t, map[string]int64{"in_progress": 0, "completed": 1, "failed": 0, "unknown": 1}, stateOf(t, path).Records)
	assert.Equal(t, contract.StatusReplayed, serve(t, path, "bob", once(t)).Call("visits.book", bookIn{1}).Outcome.Status)

	all := events(t, log)
	require.Len(t, all, 4)
	partition := store.Scope{Namespace: "desk", Issuer: contract.LocalIssuer, Principal: "ada"}.Key("").Partition
	assert.Equal(t, "state.forgotten: "+partition.String(), all[3].AuditEvent)
	assert.Equal(t, me.Username, all[3].Principal)
	text, err := os.ReadFile(log)
	require.NoError(t, err)
	assert.NotRegexp(t, `\bada\b`, string(text), "the log does not name the person anew") // a hash may contain these letters
}

func TestRotate_KeepsTheFormerKey(t *testing.T) {
	t.Parallel()
	path, log := newState(t)
	status, _, stderr := run(t, "rotate", "-audit", log, path)
	require.Zero(t, status, stderr)
	keys, err := os.ReadFile(path + ".keys")
	require.NoError(t, err)
	assert.Equal(t, 2, bytes.Count(keys, []byte("\n")))
	assert.Equal(t, contract.StatusReplayed, serve(t, path, "ada", once(t)).Call("visits.book", bookIn{1}).Outcome.Status)
	assert.Equal(t, "state.rotated", events(t, log)[1].AuditEvent)
}

func TestRotate_CreatesMissingKeys(t *testing.T) {
	t.Parallel()
	path, log := newState(t)
	require.NoError(t, os.Remove(path+".keys"))
	_, err := sqlitefile.Open(path)
	require.Error(t, err)
	status, stdout, stderr := run(t, "rotate", "-audit", log, path)
	require.Zero(t, status, stderr)
	assert.Contains(t, stdout, "The results of 3 calls")
	assert.Equal(t, contract.CodeAlreadyDone, serve(t, path, "ada", once(t)).Call("visits.book", bookIn{1}).Outcome.Code)
	assert.Equal(t, "state.rotated: the former keys were missing", events(t, log)[1].AuditEvent)
}

// files returns the contents of the files in a folder.
func files(t *testing.T, folder string) map[string]string {
	t.Helper()
	all := map[string]string{}
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(folder, e.Name()))
		require.NoError(t, err)
		all[e.Name()] = string(text)
	}
	return all
}

func TestShow_ChangesNeitherTheFileNorItsFolder(t *testing.T) {
	t.Parallel()
	path, _ := newState(t)
	before := files(t, filepath.Dir(path))
	stateOf(t, path)
	assert.Equal(t, before, files(t, filepath.Dir(path)))
}

func TestState_RefusesAFileOfAnotherProgram(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"DELETE", "WAL"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "other.db")
			log := filepath.Join(t.TempDir(), "audit.jsonl")
			db, err := sql.Open("sqlite", path)
			require.NoError(t, err)
			_, err = db.ExecContext(t.Context(), "PRAGMA journal_mode = "+mode+"; CREATE TABLE visits (slot TEXT)")
			require.NoError(t, errors.Join(err, db.Close()))
			before := files(t, filepath.Dir(path))
			key := store.Scope{Principal: "ada"}.Key("call").String()
			for _, args := range [][]string{
				{"show", path}, {"settle", "-audit", log, path, key, "ran"}, {"forget", "-audit", log, "-principal", "ada", path},
				{"rotate", "-audit", log, path}, {"backup", path, path + ".copy"},
			} {
				status, _, stderr := run(t, args...)
				assert.Equal(t, 2, status, args)
				assert.Contains(t, stderr, path+" is not the state of a guard", args)
			}
			assert.Equal(t, before, files(t, filepath.Dir(path)))
			assert.NoFileExists(t, log, "no change was begun")
		})
	}
}

func TestState_FollowsALink(t *testing.T) {
	t.Parallel()
	path, log := newState(t)
	link := filepath.Join(t.TempDir(), "link")
	err := os.Symlink(path, link)
	if err == nil {
		_, err = os.Stat(link) // wine makes links that it does not follow
	}
	if err != nil {
		t.Skip(err)
	}
	assert.Equal(t, stateOf(t, path), stateOf(t, link))
	status, stdout, stderr := run(t, "rotate", "-audit", log, link)
	require.Zero(t, status, stderr)
	assert.Contains(t, stdout, "restart the servers", "the keys of the file were found")
	assert.NoFileExists(t, link+".keys")
}

// The sealed results are in the file and in its log while servers are using
// both.
func TestForget_LeavesNoBytesOfTheResults(t *testing.T) {
	t.Parallel()
	path, log := newState(t)
	serve(t, path, "ada", echo).Call("visits.book", bookIn{3}) // its process keeps running
	db, err := sql.Open("sqlite", path)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, db.Close()) })
	ada := store.Scope{Namespace: "desk", Issuer: contract.LocalIssuer, Principal: "ada"}.Key("").Partition
	rows, err := db.QueryContext(t.Context(), "SELECT part = ?, result FROM tc_records WHERE result IS NOT NULL", ada[:])
	require.NoError(t, err)
	of := map[bool][][]byte{}
	for rows.Next() {
		var hers bool
		var result []byte
		require.NoError(t, rows.Scan(&hers, &result))
		of[hers] = append(of[hers], result)
	}
	require.NoError(t, errors.Join(rows.Err(), rows.Close()))
	require.Len(t, of[true], 3)
	require.Len(t, of[false], 1)
	stands := func(result []byte) bool {
		for _, text := range files(t, filepath.Dir(path)) {
			if strings.Contains(text, string(result)) {
				return true
			}
		}
		return false
	}
	for _, result := range of[true] {
		require.True(t, stands(result))
	}
	status, _, stderr := run(t, "forget", "-audit", log, "-namespace", "desk", "-principal", "ada", path)
	require.Zero(t, status, stderr)
	for _, result := range of[true] {
		assert.False(t, stands(result))
	}
	assert.True(t, stands(of[false][0]), "that of bob")
}

// childFile names the environment variable with the file of a server that
// writes until it is killed.
const childFile = "STATE_CHILD"

func TestBackup_OfABusyServerOpensAndReplays(t *testing.T) {
	if path := os.Getenv(childFile); path != "" {
		c := serve(t, path, "ada", echo)
		for n := 1; ; n++ {
			c.Call("visits.book", bookIn{n})
			_, _ = fmt.Fprintln(os.Stdout, n)
		}
	}
	t.Parallel()
	folder := t.TempDir()
	path, copied := filepath.Join(folder, "state.db"), filepath.Join(folder, "copy.db")
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
	child.Env = append(os.Environ(), childFile+"="+path)
	output, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	t.Cleanup(func() {
		_ = child.Process.Kill()
		_ = child.Wait()
	})
	lines := bufio.NewScanner(output)
	booked := 0
	for booked < 10 && lines.Scan() {
		booked, err = strconv.Atoi(lines.Text())
		require.NoError(t, err)
	}
	status, stdout, stderr := run(t, "backup", path, copied)
	require.Zero(t, status, stderr)
	assert.Contains(t, stdout, copied+".keys")
	require.True(t, lines.Scan(), "the server goes on")
	for n := range booked {
		r := serve(t, copied, "ada", once(t)).Call("visits.book", bookIn{n + 1})
		assert.Equal(t, contract.StatusReplayed, r.Outcome.Status)
	}
	status, _, stderr = run(t, "backup", path, copied)
	assert.Equal(t, 2, status)
	assert.Contains(t, stderr, "exists")
}

func TestState_ManualsCommandsRun(t *testing.T) {
	t.Parallel()
	path, log := newState(t)
	lines, err := os.ReadFile("testdata/page.sh")
	require.NoError(t, err)
	given := strings.NewReplacer("state.db", path, "audit.jsonl", log, "copy.db", path+".copy",
		"$LOOKUP_KEY", stateOf(t, path).Unknown[0].LookupKey)
	for line := range strings.Lines(string(lines)) {
		status, _, stderr := run(t, strings.Fields(given.Replace(line))[2:]...)
		assert.Zero(t, status, line+stderr)
	}
}

func TestState_NamesTheRemedyAndChangesNothing(t *testing.T) {
	t.Parallel()
	path, log := newState(t)
	folder := filepath.Dir(path)
	other := filepath.Join(folder, "other.txt")
	require.NoError(t, os.WriteFile(other, bytes.Repeat([]byte("text\n"), 1000), 0o600))
	held, err := audit.OpenFile(filepath.Join(folder, "held.jsonl"))
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, held.Close()) })
	key := stateOf(t, path).Unknown[0].LookupKey
	const address = "postgres://mail:secret@127.0.0.1:1/mail"
	for name, tt := range map[string]struct {
		args []string
		want string
	}{
		"no such file":        {[]string{"show", filepath.Join(folder, "none.db")}, "cannot be found"},
		"a folder":            {[]string{"show", folder}, "is a folder"},
		"no database":         {[]string{"show", other}, "name another file"},
		"another scheme":      {[]string{"show", "redis://:secret@127.0.0.1"}, "no such command for Redis"},
		"no server":           {[]string{"show", address}, "check the address"},
		"no log":              {[]string{"settle", path, key, "ran"}, "-audit is required"},
		"a log in use":        {[]string{"settle", "-audit", filepath.Join(folder, "held.jsonl"), path, key, "ran"}, "another writer"},
		"a log of no use":     {[]string{"rotate", "-audit", filepath.Join(folder, "none", "audit.jsonl"), path}, "create its folder"},
		"no operator":         {[]string{"rotate", "-audit", log, "-operator", "", path}, "-operator"},
		"no principal":        {[]string{"forget", "-audit", log, path}, "-principal"},
		"no outcome":          {[]string{"settle", "-audit", log, path, key, "happened"}, "did-not-run"},
		"no key":              {[]string{"settle", "-audit", log, path, "secret", "ran"}, "lookup key"},
		"the log of a copy":   {[]string{"backup", address, other}, "pg_dump"},
		"the keys of servers": {[]string{"rotate", "-audit", log, address}, "put a new one first there"},
		"another database":    {[]string{"show", "mysql://mail:secret@127.0.0.1/mail"}, "file of a SQLite state"},
	} {
		status, _, stderr := run(t, tt.args...)
		assert.Equal(t, 2, status, name)
		assert.Contains(t, stderr, tt.want, name)
		assert.NotContains(t, stderr, "secret", name)
	}
	assert.Len(t, stateOf(t, path).Unknown, 1)
	_, err = os.Stat(log)
	assert.ErrorIs(t, err, os.ErrNotExist, "no change was begun")
	assert.NoFileExists(t, filepath.Join(folder, "none.db"))
}

// An address in an unknown form is taken for a file. Its password must not
// appear.
func TestState_DoesNotRepeatAnAddressThatItTakesForAFile(t *testing.T) {
	t.Parallel()
	for _, address := range []string{
		"host=db.example user=ada password=hunter2 dbname=calls", "postgres:ada:hunter2@db.example/calls",
		"ada:hunter2@tcp(db.example:3306)/calls", "/hunter2\x00",
	} {
		for _, command := range [][]string{
			{"show", address}, {"backup", address, "copy"}, {"rotate", "-audit", t.TempDir() + "/", address},
			{"forget", "-audit", t.TempDir() + "/", "-principal", "ada", address},
		} {
			status, stdout, stderr := run(t, command...)
			assert.Equal(t, 2, status)
			assert.NotContains(t, stdout+stderr, "hunter2", command)
			assert.NotContains(t, stdout+stderr, "db.example", command)
		}
	}
}
