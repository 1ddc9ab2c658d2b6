package consent

import (
	"slices"
	"sync"
	"time"

	"github.com/toolcontract/toolcontract/store"
)

// maxKept bounds the approvals that a desk keeps. The oldest one goes first.
const maxKept = 512

// A within holds the answers that a person gave while a call waited. The desk
// keeps them if the call ends before its handler, for example because the audit
// log cannot be written. They count for a repetition of the same call in the
// same session, until a question would have expired. The zero value holds none.
type within struct {
	confirmed bool        // the person approved the call
	stepUp    string      // the id of a step-up that the client accepted
	owner     store.Owner // spends what an approval spends besides its claim
	expires   time.Time
}

// kept holds the answers of calls that never began, by call. Taking them is
// atomic, so that one approval is one execution.
type kept struct {
	mu     sync.Mutex
	byCall map[string]within
	order  []string // from the oldest to the newest
}

func (k *kept) put(call string, w within) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if _, exists := k.byCall[call]; !exists {
		k.order = append(k.order, call)
	}
	k.byCall[call] = w
	for len(k.order) > maxKept {
		delete(k.byCall, k.order[0])
		k.order = k.order[1:]
	}
}

func (k *kept) take(call string) within {
	k.mu.Lock()
	defer k.mu.Unlock()
	w, exists := k.byCall[call]
	if !exists {
		return within{}
	}
	delete(k.byCall, call)
	k.order = slices.DeleteFunc(k.order, func(name string) bool { return name == call })
	if !time.Now().Before(w.expires) {
		return within{}
	}
	return w
}

// keptName names the call among those whose answers are kept. It is empty if a
// repetition could not be tied to the same caller.
func (r *round) keptName() string {
	c := r.call
	if r.anonymous() && c.Client.Session == "" {
		return ""
	}
	return c.principalDigest() + "\x00" + c.Client.Session + "\x00" + r.approvalName()
}

// recallKept takes the answers that were kept for this call.
func (r *round) recallKept() {
	if r.call.Client.Ask == nil && r.call.Client.AskURL == nil {
		return
	}
	if name := r.keptName(); name != "" && r.session.keptName == "" {
		r.session.keptName = name
		r.session.within = r.desk.kept.take(name)
	}
}

// noteWithin records an answer that the person gave while this call waits.
func (r *round) noteWithin(note func(*within)) {
	w := &r.session.within
	note(w)
	w.expires = time.Now().Add(r.desk.QuestionTTL)
	if w.owner.IsZero() {
		w.owner = store.NewOwner()
	}
	r.session.Grant.within = w.owner
}

// Keep keeps the answers that a person gave while a call waited, because the
// call ended before its handler. Call it once, and only for a call that can be
// repeated.
func (d *Desk) Keep(s Session) {
	if s.keptName != "" && (s.within.confirmed || s.within.stepUp != "") {
		d.kept.put(s.keptName, s.within)
	}
}
