package recorder

import "slices"

// A Journal collects what the audit log needs to know about a call besides its
// phases. Stages only add to it. [NewJournal] makes one.
type Journal struct {
	id           string          // the id of the call in the audit log
	auditOnly    map[string]bool // the clauses that are only audited
	stage        string          // the furthest stage that the call has reached
	reached      int             // its index
	counted      bool            // it has reached a stage from which failures count
	cause        error           // why the call was refused or failed; the caller never gets it
	waived       []string        // clauses that the call broke and that are only audited
	notPersisted bool            // the outcome could not be recorded
	previewed    bool            // the tool author's preview was called
	asked        bool            // the call asked a question outside the client
	err          error           // the error of a call that has no result
}

// NewJournal returns the journal of the call with this id, of a tool whose
// clauses in auditOnly are only audited.
func NewJournal(id string, auditOnly map[string]bool) Journal {
	return Journal{id: id, auditOnly: auditOnly}
}

// Started returns the part of the journal that does not change once the handler
// has started, for events that another goroutine writes.
func (j *Journal) Started() Journal { return Journal{id: j.id, waived: slices.Clone(j.waived)} }

// Enter records that the call has reached a stage. The furthest stage stays if
// the call goes back in the pipeline. From a stage with counts set, failures
// count.
func (j *Journal) Enter(index int, stage string, counts bool) {
	if j.stage == "" || index > j.reached {
		j.reached = index
		j.stage = stage
	}
	j.counted = j.counted || counts
}

// End records how a call ended: which stage and call the audit log names, if
// not the call's own, whether the call asked a question outside the client, and
// the error of a call that has no result.
func (j *Journal) End(stage, callID string, asked bool, err error) {
	if stage != "" {
		j.stage = stage
	}
	if callID != "" {
		j.id = callID
	}
	j.asked = asked
	j.err = err
}

// Continue gives the call the id of an earlier call that it continues, such as
// an earlier round.
func (j *Journal) Continue(id string) { j.id = id }

// Note sets the cause if there is none yet.
func (j *Journal) Note(err error) {
	if j.cause == nil {
		j.cause = err
	}
}

// Blame sets the cause and replaces an earlier one. Nil changes nothing.
func (j *Journal) Blame(err error) {
	if err != nil {
		j.cause = err
	}
}

// Waives reports whether a clause that the call breaks is only audited. If so,
// it records the clause.
func (j *Journal) Waives(clause string) bool {
	if !j.auditOnly[clause] {
		return false
	}
	if !slices.Contains(j.waived, clause) {
		j.waived = append(j.waived, clause)
		slices.Sort(j.waived)
	}
	return true
}

// NotePreviewed records that the tool author's preview was called.
func (j *Journal) NotePreviewed() { j.previewed = true }

// NoteNotPersisted records that the outcome could not be recorded.
func (j *Journal) NoteNotPersisted() { j.notPersisted = true }

// ID returns the id of the call in the audit log.
func (j *Journal) ID() string { return j.id }

// Stage returns the furthest stage that the call has reached.
func (j *Journal) Stage() string { return j.stage }

// IsCounted reports whether failures count at this point of the call.
func (j *Journal) IsCounted() bool { return j.counted }

// HasAsked reports whether the call asked a question outside the client.
func (j *Journal) HasAsked() bool { return j.asked }

// Err returns the error of a call that has no result.
func (j *Journal) Err() error { return j.err }

// Cause returns why the call was refused or failed. The caller never gets it.
func (j *Journal) Cause() error { return j.cause }

// Waived returns the clauses that the call broke and that are only audited.
func (j *Journal) Waived() []string { return slices.Clone(j.waived) }

// WasPreviewed reports whether the tool author's preview was called.
func (j *Journal) WasPreviewed() bool { return j.previewed }

// IsNotPersisted reports whether the outcome could not be recorded.
func (j *Journal) IsNotPersisted() bool { return j.notPersisted }
