package consent

import (
	"context"
	"time"

	"github.com/toolcontract/toolcontract/guard/internal/answer"
	"github.com/toolcontract/toolcontract/guard/internal/facts"
	"github.com/toolcontract/toolcontract/guard/internal/text"
	"github.com/toolcontract/toolcontract/guard/people"
)

const (
	// rulingPoll is the interval at which a waiting call looks for the ruling,
	// because any replica may record it.
	rulingPoll = time.Second
	// rulingPatience bounds how long a call waits if its client sends the
	// answer in another call.
	rulingPatience = stepUpPatience
)

// sendQuestion returns the question that sends the client's user to the
// approver's page. Its message has neither an address nor arguments, because
// the page shows the call.
func sendQuestion(request outsideQuestion) *people.Question {
	q := request.question
	return &people.Question{
		Key: people.ApprovalKey, URL: request.address, ID: q.Token,
		Message: text.Unlink(q.Question.Title + " The page shows the call and asks for the decision."),
	}
}

// sendInRounds ends the call with the address. The client answers in another
// call whether its user may be sent there.
func (r *round) sendInRounds(request outsideQuestion) *answer.Ending {
	state := r.nextState()
	state.SentOutside = true
	return askedWith(sendQuestion(request), r.service.states.SealText(state, ""))
}

// sendInCall sends the client's user to the page while the call waits. A client
// that does not answer counts as one that declined, because the question stays
// open either way.
func (r *round) sendInCall(ctx context.Context, request outsideQuestion, d *dialog) reply {
	begun, refused := r.begin(ctx, sendQuestion(request), facts.StageConfirm)
	if refused != nil {
		return declined
	}
	*d = begun
	r.askedOutside = false // begin has recorded the question in the audit log
	raw, err := d.put(&r.service.waiting, r.call.Client.AskURL)
	if err != nil {
		r.call.Journal.Note(err)
		return declined
	}
	return readOpened(raw)
}

// awaitRuling waits until a person has decided, or until waiting ends. It is
// nil if the client sends the answer in another call.
func (r *round) awaitRuling(ctx, waiting context.Context) (outsideQuestion, outsideStatus, *answer.Refusal) {
	if waiting == nil {
		var end func()
		if waiting, end = r.wait(ctx, rulingPatience); waiting == nil {
			return r.lookOutside(ctx) // too many others wait
		}
		defer end()
	}
	poll := time.NewTicker(rulingPoll)
	defer poll.Stop()
	for {
		request, state, refused := r.lookOutside(ctx)
		if refused == nil && state != undecided {
			return request, state, nil
		}
		select {
		case <-poll.C:
		case <-waiting.Done():
			if r.service.isClosing() {
				refused = answer.Closing()
			}
			return request, state, refused
		}
	}
}
