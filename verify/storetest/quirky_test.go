package storetest_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/toolcontract/toolcontract/store"
	"github.com/toolcontract/toolcontract/verify/storetest"
)

// A quirk is one fault of a store. The empty quirk is no fault.
type quirk string

// quirky is a simple store that follows every rule except the one its quirk
// breaks.
type quirky struct {
	quirk quirk

	mu      sync.Mutex
	now     time.Duration
	records map[store.Key]*row
	nonces  map[store.Key]spent
	counts  map[store.Key]*counts
	gate    chan struct{} // nil, or closed once the storage no longer hangs
	full    bool
	buffer  []byte
	done    int   // how many results were kept
	gone    int64 // bytes of removed results
}

type row struct {
	store.Record
	done          int // the age of the result
	leaseEnd, end time.Duration
}

type spent struct {
	owner store.Owner
	end   time.Duration
}

type counts struct {
	kinds       map[string]int64
	window, end time.Duration
}

func newStore(q quirk) *quirky {
	return &quirky{
		quirk:   q,
		records: map[store.Key]*row{},
		nonces:  map[store.Key]spent{},
		counts:  map[store.Key]*counts{},
	}
}

func (s *quirky) harness() storetest.Harness {
	return storetest.Harness{
		Store: s, Exact: true, MaxBytes: maxBytes,
		Advance: func(d time.Duration) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.now += d
		},
		Hang: func() func() {
			gate := make(chan struct{})
			s.mu.Lock()
			defer s.mu.Unlock()
			s.gate = gate
			return func() {
				s.mu.Lock()
				s.gate = nil
				s.mu.Unlock()
				close(gate)
			}
		},
		Full: func(context.Context) error {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.full = true
			return nil
		},
	}
}

func (s *quirky) has(q quirk) bool { return s.quirk == q }

// begin waits for the storage and returns holding the lock, even with an error.
func (s *quirky) begin(ctx context.Context) error {
	s.mu.Lock()
	if s.has("panics") {
		s.mu.Unlock()
		panic("hunter2")
	}
	if s.has("ignores contexts") {
		ctx = context.Background()
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	for s.gate != nil {
		gate := s.gate
		s.mu.Unlock()
		if s.has("ignores contexts while the storage hangs") {
			<-gate
		}
		select {
		case <-gate:
			s.mu.Lock()
		case <-ctx.Done():
			s.mu.Lock()
			return ctx.Err()
		}
	}
	return nil
}

func (s *quirky) hangs() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.gate != nil
}

// over reports whether an end has been reached.
func (s *quirky) over(end time.Duration) bool {
	if s.has("ends everything a tick late") {
		return s.now > end
	}
	return s.now >= end
}

func (s *quirky) id(key store.Key) store.Key {
	if s.has("ignores partitions") {
		key.Partition = store.Digest{}
	}
	return key
}

func (s *quirky) row(key store.Key) *row {
	r := s.records[s.id(key)]
	if r == nil {
		return nil
	}
	if s.over(r.end) && !s.has("keeps records forever") ||
		s.has("removes a record after its lease") && r.State == store.InProgress && s.over(r.leaseEnd) {
		delete(s.records, s.id(key))
		return nil
	}
	return r
}

// show returns a record as it is now. Nil gives the zero Record.
func (s *quirky) show(r *row) store.Record {
	if r == nil {
		return store.Record{}
	}
	seen := r.Record
	if seen.State == store.InProgress {
		seen.LeaseLeft = r.leaseEnd - s.now
		if seen.LeaseLeft == 0 && s.has("ends everything a tick late") {
			seen.LeaseLeft = 1
		}
	}
	seen.ExpiresIn = r.end - s.now
	if !s.has("returns its own slice") {
		seen.Result = bytes.Clone(seen.Result)
	}
	if s.has("returns empty results as nil") && len(seen.Result) == 0 {
		seen.Result = nil
	}
	return seen
}

func (s *quirky) judge(c store.Claim, found store.Record) store.ClaimStatus {
	highest := s.highest(c.Budget.Key)
	switch {
	case s.has("ignores budgets"):
		c.Budget = store.Budget{}
	case s.has("allows one more than the limit"):
		highest--
	case s.has("ignores the budget of the former owner") && found.Owner == c.Owner:
		c.Budget = store.Budget{}
	}
	switch asked := c.Replaces; {
	case s.has("replaces nothing"):
		c.Replaces = store.Owner{}
	case s.has("replaces the record of anybody") && !asked.IsZero():
		c.Replaces = found.Owner
	case s.has("replaces no completed record") && asked == found.Owner && found.State == store.Completed:
		c.Replaces = store.Owner{}
	case s.has("replaces no record of other arguments") && found.Fingerprint != c.Fingerprint:
		c.Replaces = store.Owner{}
	case s.has("replaces a running record") && asked == found.Owner && found.State == store.InProgress:
		found.State = store.Failed
	default:
	}
	v := c.StatusFor(found, highest)
	same := found.Fingerprint == c.Fingerprint
	switch {
	case s.has("claims a running record") && v == store.Running:
		return store.Claimed
	case s.has("refuses a repeated claim") && v == store.Claimed && found.Owner == c.Owner && found.State != store.NoRecord:
		return store.Running
	case s.has("never ends a lease") && v == store.Claimed && found.State == store.InProgress && found.Owner != c.Owner:
		return store.Running
	case s.has("claims an abandoned record without Rerun") && v == store.Abandoned:
		return store.Claimed
	case s.has("refuses every Rerun") && v == store.Claimed && c.Rerun && found.IsAbandoned():
		return store.Abandoned
	case s.has("reruns a running record") && v == store.Running && c.Rerun:
		return store.Claimed
	case s.has("reruns a failed record") && v == store.Finished && c.Rerun && found.State == store.Failed:
		return store.Claimed
	case s.has("ignores fingerprints") && v == store.Conflicting:
		c.Fingerprint = found.Fingerprint
		return c.StatusFor(found, highest)
	case s.has("checks the budget before the record") && isUsedUp(c.Budget, highest):
		return store.Exhausted
	case s.has("checks the budget of a repeated claim") && v == store.Claimed && isUsedUp(c.Budget, highest):
		return store.Exhausted
	case s.has("ignores the fingerprint of an unstarted record after its lease") && v == store.Conflicting &&
		found.State == store.InProgress && found.LeaseLeft <= 0 && !found.Started:
		return store.Claimed
	case s.has("finds conflicts only in finished records") && !same && found.State == store.InProgress:
		return store.Running
	}
	return v
}

func (s *quirky) Claim(ctx context.Context, c store.Claim) (store.ClaimResult, error) {
	if err := c.Validate(); err != nil && !s.has("validates nothing") {
		if s.has("discloses the owner in errors") {
			return store.ClaimResult{}, fmt.Errorf("%w: %x", err, c.Owner)
		}
		return store.ClaimResult{}, err
	}
	if s.has("succeeds while the storage hangs") && s.hangs() {
		return store.ClaimResult{Status: store.Claimed}, nil
	}
	if s.has("claims in two steps") {
		found, err := s.Get(ctx, c.Key)
		if err == nil && c.StatusFor(found, 0) == store.Claimed {
			time.Sleep(time.Millisecond) // lets another goroutine run
			s.mu.Lock()
			delete(s.records, c.Key)
			s.mu.Unlock()
		}
	}
	if s.has("replaces in two steps") && !c.Replaces.IsZero() {
		found, err := s.Get(ctx, c.Key)
		time.Sleep(time.Millisecond) // lets another goroutine run
		if err == nil && c.StatusFor(found, 0) == store.Claimed {
			s.mu.Lock()
			delete(s.records, c.Key)
			s.mu.Unlock()
		}
	}
	if s.has("spends the nonce in a step of its own") && !c.Nonce.Key.IsZero() {
		taken, err := s.taken(ctx, c.Nonce, c.Owner)
		time.Sleep(time.Millisecond) // lets another goroutine run
		if err == nil && !taken {
			s.mu.Lock()
			s.nonces[c.Nonce.Key] = spent{c.Owner, s.now + c.Nonce.TTL}
			s.mu.Unlock()
		}
	}
	if s.has("checks the budget in a step of its own") && !c.Budget.Key.IsZero() {
		found, err := s.Max(ctx, c.Budget.Key)
		time.Sleep(time.Millisecond) // lets another goroutine run
		if err == nil && !isUsedUp(c.Budget, found.Highest) {
			c.Budget = store.Budget{}
		}
	}
	err := s.begin(ctx)
	defer s.mu.Unlock()
	if err != nil {
		return store.ClaimResult{}, err
	}
	return s.claim(c)
}

// taken reports whether another owner has spent a nonce.
func (s *quirky) taken(ctx context.Context, n store.Nonce, owner store.Owner) (bool, error) {
	err := s.begin(ctx)
	defer s.mu.Unlock()
	by, there := s.nonces[n.Key]
	return there && by.owner != owner && !s.over(by.end), err
}

func (s *quirky) claim(c store.Claim) (store.ClaimResult, error) {
	r := s.row(c.Key)
	found := s.show(r)
	v := s.judge(c, found)
	if s.has("spends the nonce of a refused claim") && !c.Nonce.Key.IsZero() {
		s.spend(c.Nonce, c.Owner)
	}
	if s.has("spends the nonce of an exhausted claim") && v == store.Exhausted && !c.Nonce.Key.IsZero() {
		s.spend(c.Nonce, c.Owner)
	}
	if s.has("changes the record of an exhausted claim") && v == store.Exhausted && r != nil {
		r.Owner = c.Owner
	}
	if s.has("checks the nonce before the budget") && v == store.Exhausted {
		by, there := s.nonces[s.id(c.Nonce.Key)]
		if there && by.owner != c.Owner && !s.over(by.end) {
			v = store.NonceSpent
		}
	}
	if v != store.Claimed {
		a := found.ClaimResult(v)
		if s.has("discloses the result to a conflicting claim") ||
			s.has("discloses the result of an unknown outcome") && v == store.Abandoned {
			a.Result = found.Result
		}
		return a, nil
	}
	if s.full && r == nil {
		switch {
		case s.has("accepts claims if it is full"):
		case s.has("forgets records if it is full"):
			for key, row := range s.records {
				if row.State == store.Failed {
					delete(s.records, key)
				}
			}
			return store.ClaimResult{}, store.ErrFull
		default:
			return store.ClaimResult{}, store.ErrFull
		}
	}
	claimed := &row{
		Record: store.Record{
			State: store.InProgress, Owner: c.Owner, Fingerprint: c.Fingerprint,
			Started: c.Start || s.staysStarted(c, found),
		},
		leaseEnd: s.now + c.Lease, end: s.now + c.Retention,
	}
	if s.has("keeps the result of a replaced record") {
		claimed.Result = found.Result
	}
	if s.has("claims before it checks the nonce") {
		s.records[s.id(c.Key)] = claimed
	}
	if by, there := s.nonces[s.id(c.Nonce.Key)]; there && by.owner != c.Owner && s.takesOver(c, found, by.owner) {
		by.owner = c.Owner
		s.nonces[s.id(c.Nonce.Key)] = by
	}
	if !c.Nonce.Key.IsZero() && !s.spend(c.Nonce, c.Owner) {
		return store.ClaimResult{Status: store.NonceSpent}, nil
	}
	if s.has("does not renew the lease of a repeated claim") && found.Owner == c.Owner && found.State == store.InProgress {
		claimed.leaseEnd = r.leaseEnd
	}
	s.records[s.id(c.Key)] = claimed
	return store.ClaimResult{Status: v}, nil
}

// takesOver reports whether a claim takes over the nonce along with the record.
func (s *quirky) takesOver(c store.Claim, found store.Record, spender store.Owner) bool {
	switch {
	case s.has("takes no nonce over"):
		return false
	case s.has("takes the nonce of a started record over"):
		return spender == found.Owner
	case s.has("takes the nonce of anybody over"):
		return found.State == store.InProgress && !found.Started
	}
	return c.Spends(found, spender)
}

// held returns the record that the owner holds in one of the states.
func (s *quirky) held(operation string, key store.Key, owner store.Owner, states ...store.RecordState) (*row, error) {
	r := s.row(key)
	switch {
	case r == nil:
		return nil, store.ErrLost
	case r.Owner != owner && !s.has(quirk("lets anybody "+operation)):
		return nil, store.ErrLost
	case s.has("refuses an owner after its lease") && r.State == store.InProgress && s.over(r.leaseEnd):
		return nil, store.ErrLost
	case !slices.Contains(states, r.State) && !s.has("ignores the state of the record"):
		return nil, store.ErrLost
	}
	return r, nil
}

func (s *quirky) valid(ok bool) error {
	if ok || s.has("validates nothing") {
		return nil
	}
	return store.ErrInvalid
}

func (s *quirky) Mark(ctx context.Context, key store.Key, owner store.Owner) error {
	if err := s.valid(!key.IsZero() && !owner.IsZero()); err != nil {
		return err
	}
	err := s.begin(ctx)
	defer s.mu.Unlock()
	if err != nil {
		return err
	}
	r, err := s.held("mark", key, owner, store.InProgress)
	if err == nil && !s.has("does not mark") {
		r.Started = true
	}
	return err
}

func (s *quirky) Renew(ctx context.Context, key store.Key, owner store.Owner, lease time.Duration) error {
	if err := s.valid(!key.IsZero() && !owner.IsZero() && lease > 0); err != nil {
		return err
	}
	err := s.begin(ctx)
	defer s.mu.Unlock()
	if err != nil {
		return err
	}
	r, err := s.held("renew", key, owner, store.InProgress)
	if err != nil {
		return err
	}
	switch {
	case s.has("adds to the lease"):
		r.leaseEnd += lease
	default:
		r.leaseEnd = s.now + lease
	}
	switch {
	case s.has("does not extend the retention to the lease"):
	case s.has("shortens the retention to the lease"):
		r.end = r.leaseEnd
	default:
		r.end = max(r.end, r.leaseEnd)
	}
	return nil
}

func (s *quirky) Complete(ctx context.Context, c store.Completion) error {
	if err := c.Validate(); err != nil && !s.has("validates nothing") {
		return err
	}
	if s.has("mixes up results of concurrent completions") {
		s.mu.Lock()
		s.buffer = bytes.Clone(c.Result)
		s.mu.Unlock()
		time.Sleep(time.Millisecond) // lets another goroutine run
		s.mu.Lock()
		c.Result = s.buffer
		s.mu.Unlock()
	}
	err := s.begin(ctx)
	defer s.mu.Unlock()
	if err != nil {
		return err
	}
	r, err := s.held("complete", c.Key, c.Owner,
		store.InProgress, store.Unknown, store.Completed, store.Failed)
	if s.forgets(c, r, err) {
		delete(s.counts, s.id(c.Forget))
	}
	switch {
	case err != nil:
		return err
	case s.has("refuses to complete an unknown record") && r.State == store.Unknown:
		return store.ErrLost
	case r.State.IsFinished() && s.has("refuses a second completion"):
		return store.ErrLost
	case r.State.IsFinished() && s.has("prolongs a record by a second completion"):
		r.end = s.now + c.Retention
		return nil
	case r.State.IsFinished() && !s.has("replaces the first outcome"):
		return nil
	case c.Retention <= 0 && s.has("keeps a removed record for an hour"):
		c.Retention = time.Hour
	case c.Retention <= 0:
		delete(s.records, s.id(c.Key))
		return nil
	}
	if s.has("counts results that are gone") {
		s.gone += int64(len(c.Result)) * 4 / 5
	}
	r.Result = nil
	r.State = c.State
	if !s.has("ignores the retention of a completion") {
		r.end = s.now + c.Retention
	}
	if !s.makeRoom(c) {
		return nil
	}
	s.done++
	r.done = s.done
	r.Result = c.Result
	if !s.has("keeps the caller's slice") {
		r.Result = bytes.Clone(c.Result)
	}
	if s.has("returns nil results as empty") && c.Result == nil && c.State.IsFinished() {
		r.Result = []byte{}
	}
	return nil
}

// forgets reports whether completing this record forgets counts.
func (s *quirky) forgets(c store.Completion, r *row, err error) bool {
	switch {
	case s.has("ignores Forget"):
		return false
	case s.has("ignores Forget if it removes the record") && c.Retention <= 0:
		return false
	case err != nil:
		return s.has("forgets the counts of a refused completion")
	default:
		return !r.State.IsFinished() || s.has("forgets counts on a repeated completion")
	}
}

func (s *quirky) Release(ctx context.Context, r store.Release) error {
	key, owner := r.Key, r.Owner
	err := r.Validate()
	if err := s.valid(err == nil); err != nil {
		return err
	}
	err = s.begin(ctx)
	defer s.mu.Unlock()
	if err != nil {
		return err
	}
	if _, err = s.held("release", key, owner, store.InProgress, store.Unknown); err != nil {
		return err
	}
	if s.has("returns nonces on release") {
		for n, by := range s.nonces {
			if by.owner == owner {
				delete(s.nonces, n)
			}
		}
	}
	id := s.id(r.Nonce)
	by, there := s.nonces[id]
	if !s.has("keeps every nonce") && there && (by.owner == owner || s.has("returns the nonces of others")) {
		delete(s.nonces, id)
	}
	if !s.has("ignores Release") {
		delete(s.records, s.id(key))
	}
	return nil
}

func (s *quirky) Get(ctx context.Context, key store.Key) (store.Record, error) {
	if err := s.valid(!key.IsZero()); err != nil {
		return store.Record{}, err
	}
	err := s.begin(ctx)
	defer s.mu.Unlock()
	if err != nil {
		return store.Record{}, err
	}
	seen := s.show(s.row(key))
	switch {
	case s.has("does not tell how long ago a lease ended"):
		seen.LeaseLeft = max(0, seen.LeaseLeft)
	case s.has("drops the result of an unknown outcome") && seen.State == store.Unknown:
		seen.Result = nil
	case s.has("pads owners with blanks") && !seen.Owner.IsZero():
		for i := len(seen.Owner) - 1; i >= 0 && seen.Owner[i] == 0; i-- {
			seen.Owner[i] = ' '
		}
	}
	if s.has("hides the owner of an unstarted record") && seen.State == store.InProgress && !seen.Started {
		seen.Owner = store.Owner{}
	}
	return seen, nil
}

func (s *quirky) Resolve(ctx context.Context, key store.Key, r store.Settlement) error {
	if err := s.valid(!key.IsZero() && (r == store.Happened || r == store.DidNotHappen)); err != nil {
		return err
	}
	err := s.begin(ctx)
	defer s.mu.Unlock()
	if err != nil {
		return err
	}
	found := s.row(key)
	switch {
	case found == nil:
		return store.ErrNotFound
	case !s.show(found).IsAbandoned() && !s.has("resolves any record"):
		return store.ErrNotUnknown
	case r == store.DidNotHappen:
		delete(s.records, s.id(key))
		return nil
	}
	found.State = store.Completed
	if !s.has("keeps the result of a resolved record") {
		found.Result = nil
	}
	if !s.has("keeps the owner of a resolved record") {
		found.Owner = store.Owner{}
	}
	return nil
}

func (s *quirky) Spend(ctx context.Context, n store.Nonce, by store.Owner) (bool, error) {
	if err := n.Validate(); err != nil && !s.has("validates nothing") {
		return false, err
	}
	if err := s.valid(!by.IsZero()); err != nil {
		return false, err
	}
	if s.has("succeeds while the storage hangs") && s.hangs() {
		return true, nil
	}
	if s.has("spends in two steps") {
		taken, err := s.taken(ctx, n, by)
		time.Sleep(time.Millisecond) // lets another goroutine run
		if err == nil && !taken {
			s.mu.Lock()
			delete(s.nonces, n.Key)
			s.mu.Unlock()
		}
	}
	err := s.begin(ctx)
	defer s.mu.Unlock()
	if err != nil {
		return false, err
	}
	if _, there := s.nonces[n.Key]; s.full && !there && !s.has("accepts nonces if it is full") {
		if s.has("promises room at once if it is full") {
			return false, &store.FullError{}
		}
		return false, store.ErrFull
	}
	if s.full && s.has("forgets nonces if it is full") {
		clear(s.nonces)
	}
	if s.has("mixes up nonces and records") && s.row(n.Key) != nil {
		return false, nil
	}
	return s.spend(n, by), nil
}

func (s *quirky) spend(n store.Nonce, by store.Owner) bool {
	id := s.id(n.Key)
	old, there := s.nonces[id]
	switch {
	case there && (!s.over(old.end) || s.has("remembers nonces forever")):
		if s.has("lets an owner prolong a nonce") && old.owner == by {
			s.nonces[id] = spent{by, s.now + n.TTL}
		}
		return old.owner == by && !s.has("refuses to repeat a nonce") || s.has("lets everybody spend a nonce")
	default:
		s.nonces[id] = spent{by, s.now + n.TTL}
		return true
	}
}

func (s *quirky) count(key store.Key) *counts {
	c := s.counts[s.id(key)]
	if c != nil && s.over(c.end) && !s.has("counts forever") {
		delete(s.counts, s.id(key))
		return nil
	}
	return c
}

func (s *quirky) Add(ctx context.Context, key store.Key, kind string, window time.Duration) (int64, error) {
	if err := s.valid(!key.IsZero() && window > 0); err != nil {
		return 0, err
	}
	if s.has("counts all kinds together") {
		kind = ""
	}
	if s.has("counts in two steps") {
		found, err := s.Max(ctx, key)
		time.Sleep(time.Millisecond) // lets another goroutine run
		s.mu.Lock()
		if c := s.count(key); err == nil && c != nil && found.Highest < c.kinds[kind] {
			c.kinds[kind] = found.Highest
		}
		s.mu.Unlock()
	}
	err := s.begin(ctx)
	defer s.mu.Unlock()
	if err != nil {
		return 0, err
	}
	c := s.count(key)
	if c == nil {
		c = &counts{kinds: map[string]int64{}, window: window, end: s.now + window}
		s.counts[s.id(key)] = c
	}
	if s.has("moves the window") {
		c.end = s.now + window
	}
	c.kinds[kind]++
	return c.kinds[kind], nil
}

func (s *quirky) Max(ctx context.Context, key store.Key) (store.Count, error) {
	if err := s.valid(!key.IsZero()); err != nil {
		return store.Count{}, err
	}
	err := s.begin(ctx)
	defer s.mu.Unlock()
	c := s.count(key)
	if err != nil || c == nil {
		return store.Count{}, err
	}
	found := store.Count{Highest: s.highest(key), WindowLeft: c.end - s.now}
	switch {
	case found.Highest == 0:
		return store.Count{}, nil
	case s.has("returns the whole window as its rest"):
		found.WindowLeft = c.window
	case s.has("returns no rest of a window"):
		found.WindowLeft = 0
	}
	return found, nil
}

func (s *quirky) highest(key store.Key) int64 {
	var most, sum int64
	if c := s.count(key); c != nil {
		for _, n := range c.kinds {
			most, sum = max(most, n), sum+n
		}
	}
	if s.has("returns the sum of all kinds") {
		return sum
	}
	return most
}

func (s *quirky) Reset(ctx context.Context, key store.Key) error {
	if err := s.valid(!key.IsZero()); err != nil {
		return err
	}
	err := s.begin(ctx)
	defer s.mu.Unlock()
	if err != nil {
		return err
	}
	switch c := s.count(key); {
	case c != nil && s.has("keeps the window after Reset"):
		clear(c.kinds)
	default:
		delete(s.counts, s.id(key))
	}
	if s.has("resets everything of a key") {
		delete(s.records, key)
		delete(s.nonces, key)
	}
	return nil
}

// staysStarted reports whether the record that a claim takes over was already
// started.
func (s *quirky) staysStarted(c store.Claim, found store.Record) bool {
	if found.Owner == c.Owner && found.State == store.InProgress {
		return found.Started && !s.has("forgets the start if a claim is repeated")
	}
	return !found.State.IsFinished() && (found.Started || found.IsAbandoned()) &&
		!s.has("forgets the start if a record is taken over")
}

func (s *quirky) IsLocal() bool { return false }

func (s *quirky) Epoch() string { return "" }

func isUsedUp(b store.Budget, highest int64) bool { return !b.Key.IsZero() && highest >= b.Limit }

// maxBytes caps the results of a partition.
const maxBytes = 256 << 10

func (s *quirky) makeRoom(c store.Completion) bool {
	size := int64(len(c.Result))
	if size > maxBytes && !s.has("drops results for one that does not fit") {
		return false
	}
	for {
		used := s.gone
		var next *row
		for key := range s.records {
			r := s.row(key)
			if r == nil || r.Result == nil || key.Partition != c.Key.Partition && !s.has("crowds out the results of others") {
				continue
			}
			used += int64(len(r.Result))
			if next == nil || (r.done < next.done) != s.has("drops the newest result") {
				next = r
			}
		}
		if used+size <= maxBytes || next == nil || s.has("keeps more bytes than its bound") {
			return used+size <= maxBytes || s.has("keeps more bytes than its bound")
		}
		next.Result = nil
	}
}
