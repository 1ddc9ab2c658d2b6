package records

import (
	"context"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard/internal/results"
)

// A Loss is the reason why the outcome of an earlier call is not replayed, as
// the audit log and the server's log name it. The troubleshooting page explains
// each.
type Loss string

const (
	lostDropped      Loss = "dropped"
	lostResolved     Loss = "resolved"
	lostUnwritable   Loss = "unwritable"
	lostReplayEnded  Loss = "replay_ended"
	lostSealingKey   Loss = "sealing_key"
	lostAltered      Loss = "altered"
	lostMalformed    Loss = "malformed"
	lostVersion      Loss = "version"
	lostTrust        Loss = "content_trust"
	lostDelimiting   Loss = "delimiting"
	lostSanitizing   Loss = "sanitizing"
	lostFailure      Loss = results.BrokenFailure
	lostSize         Loss = results.BrokenSize
	lostUnstructured Loss = results.BrokenStructure
	lostSchema       Loss = results.BrokenSchema
)

// lossTexts are the losses in words.
var lossTexts = map[Loss]string{
	lostDropped:      "the store did not keep the result",
	lostResolved:     "an operator recorded that the call happened",
	lostUnwritable:   "the result could not be written for the store",
	lostReplayEnded:  "the time until which the result may be replayed is over",
	lostSealingKey:   "no sealing key of this guard opens the result",
	lostAltered:      "the stored result was changed",
	lostMalformed:    "the stored result cannot be read",
	lostVersion:      "another version of the library stored the result",
	lostTrust:        "the contract had another contentTrust",
	lostDelimiting:   "the contract had another delimiting",
	lostSanitizing:   "the contract had another sanitize",
	lostFailure:      "the contract no longer declares the failure",
	lostSize:         "the result is larger than the present maxResultBytes",
	lostUnstructured: "the contract demands a structured result",
	lostSchema:       "the result does not fit the present output schema",
}

// lostFormat is the version of a stored result that has only the reason why
// there is none, as its text. Earlier versions of the library do not know the
// format, so they answer already_done too.
const lostFormat = -1

// markedLosses are the losses that a stored result can have.
var markedLosses = []Loss{lostUnwritable, lostReplayEnded}

// mark returns the stored form of a result that is not kept.
func (r *Records) mark(e *CallEntry, why Loss) []byte {
	s := StoredResult{Format: lostFormat, Text: string(why), Outcome: contract.Outcome{Status: contract.StatusOK}}
	return r.sealResult(e, s)
}

// A LostError says why the recorded outcome of a call is not replayed.
type LostError struct{ Why Loss }

// Error returns the word of the loss and its explanation.
func (e *LostError) Error() string { return string(e.Why) + ": " + lossTexts[e.Why] }

// explain tells apart losses that look the same to a claim.
func (r *Records) explain(ctx context.Context, e *CallEntry, why Loss) Loss {
	if why != lostDropped && why != lostSealingKey {
		return why
	}
	record, err := r.find(ctx, e)
	if err != nil || !record.State.IsFinished() {
		return why
	}
	_, known := r.recognise(e, record.Fingerprint)
	switch {
	case why == lostDropped && record.Owner.IsZero():
		return lostResolved
	case why == lostSealingKey && known:
		return lostAltered
	}
	return why
}
