package consent

import (
	"context"
	"strconv"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard/internal/answer"
	"github.com/toolcontract/toolcontract/guard/internal/facts"
	"github.com/toolcontract/toolcontract/guard/people"
	"github.com/toolcontract/toolcontract/store"
)

// Confirm asks a person to approve the call with exactly these arguments. The
// person's answer counts only with the state of its question, or within the
// call that asked. If the returned ending is nil, the call goes on with the
// returned session.
func (svc *Service) Confirm(ctx context.Context, c Subject, s Session) (Session, *answer.Ending) {
	r := &round{service: svc, call: &c, session: s}
	ended := r.confirm(ctx)
	if ended != nil {
		ended.Asked = r.askedOutside
	}
	return r.session, ended
}

// confirm takes the steps of [confirmation].
func (r *round) confirm(ctx context.Context) *answer.Ending {
	if spent := r.session.spent; spent != nil {
		if refused := r.supersede(ctx, spent); refused != nil {
			return answer.Refuse(refused)
		}
		r.session.spent = nil
	}
	r.recallKept()
	k := r.confirmation()
	request := outsideQuestion{}
	dlg := dialog{}
	defer func() { dlg.close() }()
	for {
		switch k.next() {
		case consultTool:
			k.demanded = r.demand(ctx, k)
		case foresee:
			k.hopeless = truthOf(r.isHopeless())
		case recall:
			was, err := r.wasDeclined(ctx, aboutCall, k.demanded)
			k.declined = truthOf(was)
			if err != nil {
				k.demanded = holds
			}
		case lookOutside:
			var refused *answer.Refusal
			if request, k.outside, refused = r.lookOutside(ctx); refused != nil {
				return answer.Refuse(refused)
			}
		case makeRoom:
			if refused := r.supersede(ctx, request.question); refused != nil {
				return answer.Refuse(refused)
			}
			k.outside = notLookedUp
		case askOutside:
			var refused *answer.Refusal
			if request, refused = r.askOutside(ctx, request.key, k.sends != cannotAsk); refused != nil {
				return answer.Refuse(refused)
			}
			k.outside = undecided
			k.fresh = true
			if request.address == "" {
				k.sends = cannotAsk
			}
		case sendInCall:
			k.opened = r.sendInCall(ctx, request, &dlg)
		case awaitRuling:
			ruled, state, refused := r.awaitRuling(ctx, dlg.ctx)
			if refused != nil {
				return answer.Refuse(refused)
			}
			if ruled.question != nil && ruled.question.ID == request.question.ID {
				ruled.address = request.address
			}
			request = ruled
			k.outside = state
			k.waited = true
		case askMalformed:
			k.malformed++
			k.reply = noReply
			r.session.progressed = true
		case askInCall:
			var refused *answer.Refusal
			if k.inCall, refused = r.askInCall(ctx, &dlg); refused != nil {
				return answer.Refuse(refused)
			}
			k.attempts++

		case proceed:
			return nil
		case waive:
			r.call.Journal.Waives(facts.ClauseConfirmation)
			return nil
		case takeAnswer:
			r.agree()
			r.session.progressed = !r.session.State.Confirmed
			if r.session.progressed {
				r.auditDecisionInRound(ctx, facts.StageConfirm, true)
			}
			r.session.confirmed = true
			return nil
		case takeInCall:
			r.noteAnswer(func(w *keptAnswers) { w.confirmed = true })
			r.auditDecision(facts.StageConfirm, true)
			return nil
		case takeKept:
			r.session.Grant.waitOwner = r.session.kept.owner
			return nil
		case takeApproval:
			r.session.Grant = r.service.grantOf(r.call.Scope, request.question)
			return nil

		case askInRounds:
			return r.askInRounds(ctx, k.malformed)
		case sendInRounds:
			return r.sendInRounds(request)
		case notifyApprover:
			return answer.Refuse(r.notifyAgain(ctx, request.question))
		case answerPending:
			return answer.Refuse(refusePending(request.address))
		case endQuestion:
			return r.endQuestion(ctx, k.reply)
		case refuseInCall:
			if k.inCall == declined {
				r.auditDecision(facts.StageConfirm, false)
			}
			return r.decline(ctx)

		case refuseForeseen:
			return answer.Refuse(r.stepUpRequired())
		case refuseRejected:
			return answer.Refuse(refuseDeclined(""))
		case refuseRemembered:
			return answer.Refuse(refuseDeclined(declinedLately))
		case refuseAnonymous:
			return answer.Refuse(confirmationRequired("no person is asked about calls of anonymous callers"))
		default:
			return answer.Refuse(confirmationRequired("this client cannot ask one"))
		}
	}
}

// demand reports whether a person is demanded for the call. If the call carries
// an approval, one is, even if nothing else demands it now: the claim must spend
// the approval, so that it allows one execution wherever its state is sent.
// Nobody knows what became of an approval that has expired, if the bound of a
// session asked for it.
func (r *round) demand(ctx context.Context, k confirmation) truth {
	carries := k.state == agreedState || k.state == askedState && k.reply == accepted || k.state == staleState && r.call.Bound
	switch {
	case r.call.Pipeline.MustAsk(ctx) || carries || r.session.again:
		return holds
	case r.call.Bound:
		return mayHaveHeld
	}
	return doesNotHold
}

// confirmation returns the facts that are known before any look-up.
func (r *round) confirmation() confirmation {
	c, svc := r.call, r.service
	k := confirmation{
		approver:  svc.Pending != nil,
		only:      svc.ApproverFrom != 0 && c.Doc.Risk.AtLeast(svc.ApproverFrom),
		anonymous: r.anonymous(),
		client:    cannotAsk,
		state:     classify(r.session.State, r.call, time.Now()),
		reply:     replyUnder(c.Client.Answers, people.ConfirmKey, r.reader()),
	}
	if k.state == sentOutsideState {
		k.opened = replyUnder(c.Client.Answers, people.ApprovalKey, readOpened)
	}
	switch {
	case svc.Decides != nil: // the user may be another person
	case c.Client.RoundsURL:
		k.sends = asksInRounds
	case c.Client.AskURL != nil:
		k.sends = asksInCall
	}
	switch {
	case c.Client.Rounds:
		k.client = asksInRounds
	case c.Client.Ask != nil:
		k.client = asksInCall
	}
	if k.state == askedState || k.state == authAskedState {
		k.malformed = r.session.State.Malformed
	}
	k.kept = r.session.kept.confirmed
	k.audited = c.Tool.AuditOnly[facts.ClauseConfirmation]
	return k
}

func confirmationRequired(why string) *answer.Refusal {
	return answer.NewRefusal(contract.CodeConfirmationRequired, "a person must confirm this call, and "+why)
}

// agree makes this call the one that the question in its state was about. The
// spent grant is remembered for longer than any replica accepts the state,
// unless a clock is off by more than a question's lifetime.
func (r *round) agree() {
	s := r.session.State
	r.session.continues = true
	r.session.Grant = Grant{Nonce: questionNonce(r.call.Scope, s.Nonce, r.service.ttlBeyond(time.UnixMilli(s.Expires))),
		CallID: s.CallID, approved: r.session.Grant.approved}
}

// auditDecision records what a person answered in the client.
func (r *round) auditDecision(stage string, approved bool) {
	r.call.Pipeline.AuditDecision(stage, r.session.Grant, approved)
}

// auditDecisionInRound records the answer that a round carries. A round that is
// sent again writes no second event, unless the store is down.
func (r *round) auditDecisionInRound(ctx context.Context, stage string, approved bool) {
	s := r.session.State
	once := store.Nonce{
		Key: r.call.Scope.Key("decided\x00" + stage + "\x00" + strconv.FormatBool(approved) + "\x00" + s.Nonce),
		TTL: r.service.ttlBeyond(time.UnixMilli(s.Expires)),
	}
	first, err := r.service.Ledger.Spend(context.WithoutCancel(ctx), once, store.NewOwner())
	if first || err != nil {
		r.auditDecision(stage, approved)
	}
}

// askInRounds ends the call with the question. The client sends the answer in
// another call, with the state.
func (r *round) askInRounds(ctx context.Context, malformed int) *answer.Ending {
	q, refused := r.confirmQuestion(ctx)
	if refused != nil {
		return answer.Refuse(refused)
	}
	q.Key = people.ConfirmKey
	state := r.nextState()
	state.formState = formState{Malformed: malformed, Word: q.Word}
	return askedWith(q, r.service.states.SealText(state, ""))
}

// askInCall asks through the client while the call waits, and begins the dialog
// if it has not begun.
func (r *round) askInCall(ctx context.Context, d *dialog) (got reply, refused *answer.Refusal) {
	if d.question == nil {
		q, refused := r.confirmQuestion(ctx)
		if refused != nil {
			return noReply, refused
		}
		q.Key = people.ConfirmKey
		if *d, refused = r.begin(ctx, q, facts.StageConfirm); refused != nil {
			return noReply, refused
		}
	}
	raw, err := d.put(&r.service.waiting, r.call.Client.Ask)
	if err != nil {
		return noReply, r.service.refuseUnanswered(err)
	}
	return readerOf(d.question.Word, r.call.Doc.TypedConfirmation)(raw), nil
}

// decline refuses the call after its client's answer, which may be malformed.
func (r *round) decline(ctx context.Context) *answer.Ending {
	r.rememberDeclined(ctx, aboutCall)
	return answer.Refuse(refuseDeclined(""))
}

// endQuestion ends the call as declined if the client declined the question of
// an earlier round. It spends the question, so that a later acceptance does not
// count.
func (r *round) endQuestion(ctx context.Context, got reply) *answer.Ending {
	r.agree()
	s := r.session.State
	ended, err := r.service.Ledger.Spend(ctx, r.session.Grant.Nonce, decliner(s.Nonce))
	switch {
	case err != nil:
		return answer.Refuse(answer.Unavailable("the answer cannot be recorded").Because(err))
	case !ended: // the question was accepted before, so its call has or will have an outcome
		return answer.Refuse(refuseDeclined("the question was answered before").OrReplay())
	}
	if got == declined {
		r.auditDecisionInRound(ctx, facts.StageConfirm, false)
	}
	ending := r.decline(ctx)
	ending.CallID = s.CallID
	return ending
}

// decliner is the owner that spends the nonce of a declined question. It is
// always the same for a question, so that the client can resend its answer if
// the first reply was lost.
func decliner(nonce string) store.Owner {
	digest := store.Fingerprint([]byte("declined\x00" + nonce))
	return store.Owner(digest[:len(store.Owner{})])
}
