package storetest

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/toolcontract/toolcontract/store"
)

// A step is one operation with its arguments. It runs on both the store and the
// model.
type step struct {
	operation string // a method of [store.Store]
	arguments []any
	do        func(context.Context, store.Store) reply
	// record and counts are the keys of what the operation may change, or zero.
	record, counts store.Key
}

// A reply holds an operation's return values. Members that the operation does
// not return are zero.
type reply struct {
	claim  store.ClaimResult
	record store.Record
	spent  bool
	added  int64
	count  store.Count
	err    error
}

func claiming(c store.Claim) step {
	return step{"Claim", []any{c.Key, c.Owner, c}, func(ctx context.Context, s store.Store) (r reply) {
		r.claim, r.err = s.Claim(ctx, c)
		return r
	}, c.Key, c.Budget.Key}
}

func marking(key store.Key, owner store.Owner) step {
	return step{"Mark", []any{key, owner}, func(ctx context.Context, s store.Store) reply {
		return reply{err: s.Mark(ctx, key, owner)}
	}, key, store.Key{}}
}

func renewing(key store.Key, owner store.Owner, d time.Duration) step {
	return step{"Renew", []any{key, owner, d}, func(ctx context.Context, s store.Store) reply {
		return reply{err: s.Renew(ctx, key, owner, d)}
	}, key, store.Key{}}
}

func completing(c store.Completion) step {
	return step{"Complete", []any{c.Key, c.Owner, c}, func(ctx context.Context, s store.Store) reply {
		return reply{err: s.Complete(ctx, c)}
	}, c.Key, c.Forget}
}

func releasing(key store.Key, owner store.Owner) step {
	return returning(store.Release{Key: key, Owner: owner})
}

func returning(r store.Release) step {
	return step{"Release", []any{r.Key, r.Owner, r}, func(ctx context.Context, s store.Store) reply {
		return reply{err: s.Release(ctx, r)}
	}, r.Key, store.Key{}}
}

func getting(key store.Key) step {
	return step{"Get", []any{key}, func(ctx context.Context, s store.Store) (r reply) {
		r.record, r.err = s.Get(ctx, key)
		return r
	}, store.Key{}, store.Key{}}
}

func resolving(key store.Key, f store.Settlement) step {
	return step{"Resolve", []any{key, f}, func(ctx context.Context, s store.Store) reply {
		return reply{err: s.Resolve(ctx, key, f)}
	}, key, store.Key{}}
}

func spending(n store.Nonce, by store.Owner) step {
	return step{"Spend", []any{n.Key, by, n.TTL}, func(ctx context.Context, s store.Store) (r reply) {
		r.spent, r.err = s.Spend(ctx, n, by)
		return r
	}, store.Key{}, store.Key{}}
}

func adding(key store.Key, kind string, window time.Duration) step {
	return step{"Add", []any{key, kind, window}, func(ctx context.Context, s store.Store) (r reply) {
		r.added, r.err = s.Add(ctx, key, kind, window)
		return r
	}, store.Key{}, key}
}

func highest(key store.Key) step {
	return step{"Max", []any{key}, func(ctx context.Context, s store.Store) (r reply) {
		r.count, r.err = s.Max(ctx, key)
		return r
	}, store.Key{}, store.Key{}}
}

func resetting(key store.Key) step {
	return step{"Reset", []any{key}, func(ctx context.Context, s store.Store) reply {
		return reply{err: s.Reset(ctx, key)}
	}, store.Key{}, key}
}

// String returns the operation and its arguments on one line. It numbers keys
// and owners, because their bytes vary from run to run.
func (s step) String() string {
	var text strings.Builder
	text.WriteString(s.operation)
	for _, argument := range s.arguments {
		switch a := argument.(type) {
		case store.Key:
			fmt.Fprintf(&text, " key %d", number(a.ID[:]))
		case store.Owner:
			fmt.Fprintf(&text, " by owner %d", number(a[:]))
		case store.Claim:
			fmt.Fprintf(&text, ", lease %v, retention %v, Start %t, Rerun %t", a.Lease, a.Retention, a.Start, a.Rerun)
			if a.Fingerprint != arguments {
				text.WriteString(", other arguments")
			}
			if !a.Replaces.IsZero() {
				fmt.Fprintf(&text, ", replaces owner %d", number(a.Replaces[:]))
			}
			if !a.Nonce.Key.IsZero() {
				fmt.Fprintf(&text, ", nonce %d for %v", number(a.Nonce.Key.ID[:]), a.Nonce.TTL)
			}
			if !a.Budget.Key.IsZero() {
				fmt.Fprintf(&text, ", counts %d below %d", number(a.Budget.Key.ID[:]), a.Budget.Limit)
			}
		case store.Release:
			if !a.Nonce.IsZero() {
				fmt.Fprintf(&text, ", returns nonce %d", number(a.Nonce.ID[:]))
			}
		case store.Completion:
			fmt.Fprintf(&text, ", %v, result %s, retention %v", a.State, quote(a.Result), a.Retention)
			if !a.Forget.IsZero() {
				fmt.Fprintf(&text, ", forgets counts %d", number(a.Forget.ID[:]))
			}
		case string:
			fmt.Fprintf(&text, ", kind %q", a)
		default:
			fmt.Fprintf(&text, ", %v", a)
		}
	}
	return text.String()
}

// number returns the number of a [runner]'s key or owner.
func number(b []byte) uint64 { return binary.BigEndian.Uint64(b[len(b)-8:]) }

// differs describes how a reply differs from the expected one, or returns "".
func (r reply) differs(want reply, h Harness) string {
	got, result := r.claim, want.claim
	a, b := r.record, want.record
	working := b.State == store.InProgress
	switch {
	case want.err == nil && r.err != nil || !errors.Is(r.err, want.err):
		return mismatch("error", r.err, want.err)
	case r.added != want.added:
		return mismatch("count", r.added, want.added)
	case r.count.Highest != want.count.Highest:
		return mismatch("count", r.count.Highest, want.count.Highest)
	case !h.near(r.count.WindowLeft, want.count.WindowLeft):
		return mismatch("rest of the window", h.rough(r.count.WindowLeft), want.count.WindowLeft)
	case r.spent != want.spent:
		return mismatch("answer", r.spent, want.spent)
	case got.Status != result.Status:
		return mismatch("status", got.Status, result.Status)
	case got.State != result.State:
		return mismatch("state in the answer", got.State, result.State)
	case !sameResult(got.Result, result.Result):
		return mismatch("result in the answer", quote(got.Result), quote(result.Result))
	case !h.near(got.LeaseLeft, result.LeaseLeft):
		return mismatch("lease in the answer", h.rough(got.LeaseLeft), result.LeaseLeft)
	case a.State != b.State:
		return mismatch("state of the record", a.State, b.State)
	case a.Owner != b.Owner:
		return mismatch("owner of the record", number(a.Owner[:]), number(b.Owner[:]))
	case a.Fingerprint != b.Fingerprint:
		return mismatch("fingerprint of the record", a.Fingerprint, b.Fingerprint)
	case !sameResult(a.Result, b.Result):
		return mismatch("result of the record", quote(a.Result), quote(b.Result))
	case (working || b.State == store.NoRecord) && a.Started != b.Started:
		return mismatch("mark of the start", a.Started, b.Started)
	case working && !h.near(a.LeaseLeft, b.LeaseLeft):
		return mismatch("lease of the record", h.rough(a.LeaseLeft), b.LeaseLeft)
	case !h.near(a.ExpiresIn, b.ExpiresIn):
		return mismatch("time that the record still exists", h.rough(a.ExpiresIn), b.ExpiresIn)
	}
	return ""
}

func mismatch(what string, got, want any) string {
	return fmt.Sprintf("the %s is %v instead of %v", what, got, want)
}

// quote returns the beginning of a result, or "nil" for nil.
func quote(result []byte) string {
	if result == nil {
		return "nil"
	}
	return fmt.Sprintf("%.30q", result)
}

func sameResult(a, b []byte) bool { return bytes.Equal(a, b) && (a == nil) == (b == nil) }
