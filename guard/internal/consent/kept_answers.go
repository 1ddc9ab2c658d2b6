package consent

import (
	"slices"
	"sync"
	"time"

	"github.com/toolcontract/toolcontract/store"
)

// maxKept bounds the approvals that a service keeps. The oldest goes first.
const maxKept = 512

// keptAnswers are a person's answers, given while a call waited. The service
// keeps them if the call ends before its handler runs, for example because the
// audit log cannot be written. They count for a retry of the same call in the
// same session, until a question would have expired.
type keptAnswers struct {
	confirmed bool        // the person approved the call
	stepUp    string      // the id of a step-up that the client accepted
	owner     store.Owner // spends what an approval spends besides its claim
	expires   time.Time
}

// An answerMemory keeps the answers for calls that never ran, by call. Taking
// them is atomic, so one approval allows one execution.
type answerMemory struct {
	mu     sync.Mutex
	byCall map[string]keptAnswers
	order  []string // from the oldest to the newest
}

func (k *answerMemory) put(call string, w keptAnswers) {
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

func (k *answerMemory) take(call string) keptAnswers {
	k.mu.Lock()
	defer k.mu.Unlock()
	w, exists := k.byCall[call]
	if !exists {
		return keptAnswers{}
	}
	delete(k.byCall, call)
	k.order = slices.DeleteFunc(k.order, func(name string) bool { return name == call })
	if !time.Now().Before(w.expires) {
		return keptAnswers{}
	}
	return w
}

// keptName identifies the call among those whose answers are kept. It is empty
// if a retry could not be tied to the same caller.
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
		r.session.kept = r.service.answers.take(name)
	}
}

// noteAnswer records an answer that the person gave while this call waited.
func (r *round) noteAnswer(note func(*keptAnswers)) {
	w := &r.session.kept
	note(w)
	w.expires = time.Now().Add(r.service.QuestionTTL)
	if w.owner.IsZero() {
		w.owner = store.NewOwner()
	}
	r.session.Grant.waitOwner = w.owner
}

// Keep keeps a person's answers to a call that waited but ended before its
// handler ran. Call it once, and only for a call that can be repeated.
func (svc *Service) Keep(s Session) {
	if s.keptName != "" && (s.kept.confirmed || s.kept.stepUp != "") {
		svc.answers.put(s.keptName, s.kept)
	}
}
