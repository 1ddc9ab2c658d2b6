package consent

import "cmp"

// A truth is whether a fact holds. Facts are looked up only when needed,
// because look-ups are not free. The zero value means that the fact has not
// been looked up.
type truth int

const (
	undetermined truth = iota
	doesNotHold
	holds
	mayHaveHeld // it does not hold, but may have held for an earlier call
)

func truthOf(is bool) truth {
	if is {
		return holds
	}
	return doesNotHold
}

// An ability is the way in which a client can ask its user.
type ability int

const (
	cannotAsk ability = iota
	asksInCall
	asksInRounds
)

// A stateKind is the kind of state that a call carries.
type stateKind int

const (
	noState          stateKind = iota
	staleState                 // its answer no longer counts
	askedState                 // a person was asked whether the call may happen
	agreedState                // a person accepted it in an earlier round
	authAskedState             // a person was only asked to authenticate
	sentOutsideState           // the client's user was only sent to the page of the approver
)

// An outsideStatus is the status of a question outside the client.
type outsideStatus int

const (
	notLookedUp outsideStatus = iota
	notAsked
	askInProgress // another call is asking it
	undecided
	approved
	rejected        // within the memory of declined questions
	lapsedRejection // rejected before that
)

// A step is what to do next.
type step string

// The steps of [confirmation].
const (
	// These end the stage and let the call go on.
	proceed      step = "proceed"
	waive        step = "waive"         // the clause is broken, but only audited
	takeAnswer   step = "take answer"   // uses the answer that came with the state
	takeApproval step = "take approval" // uses the approval of a person outside the client
	takeInCall   step = "take within"   // uses the answer that was given while the call waits
	takeKept     step = "take kept"     // uses the approval of an equal call that never began

	// These look something up.
	consultTool  step = "consult tool"        // does the contract demand a person for these arguments?
	foresee      step = "foresee"             // would step-up refuse the call anyway?
	recall       step = "recall"              // was the question declined a short while ago?
	lookOutside  step = "look outside"        // what is the status of the question outside the client?
	makeRoom     step = "make room"           // lets another question be asked outside, because this one is over
	askInCall    step = "ask within"          // asks while the call waits
	askOutside   step = "ask outside"         // stores the question and notifies the approver
	sendInCall   step = "send within"         // sends the client's user to the page while the call waits
	awaitRuling  step = "await ruling"        // waits for the decision, because the client accepted the address
	askMalformed step = "ask after malformed" // counts a malformed answer of an earlier round

	// These end the call.
	askInRounds      step = "ask in rounds"
	sendInRounds     step = "send in rounds"  // sends the client's user to the page of the approver
	notifyApprover   step = "notify approver" // again
	answerPending    step = "answer pending"
	endQuestion      step = "end question" // the question was declined, so a later acceptance does not count
	refuseInCall     step = "refuse as declined within"
	refuseForeseen   step = "refuse for step-up"
	refuseRejected   step = "refuse as rejected"
	refuseRemembered step = "refuse as remembered"
	refuseUnable     step = "refuse because the client cannot ask"
	refuseAnonymous  step = "refuse because the caller is anonymous"
)

// A confirmation is the state of one call's confirmation: what is known so far.
// Its method next decides how to go on. The zero value of a field means that
// the fact is not known yet or does not apply.
type confirmation struct {
	demanded  truth // a person is demanded for this call; see [round.demand]
	audited   bool  // the clause is only audited
	approver  bool  // there is an approver
	only      bool  // only the approver's answers count
	anonymous bool
	client    ability
	state     stateKind
	reply     reply
	kept      bool  // a person approved an equal call of the session, which never began
	malformed int   // the number of malformed answers in rounds so far
	inCall    reply // the latest answer while the call waits; noReply: it was not asked
	attempts  int   // the number of times that it was asked while the call waits
	hopeless  truth // step-up would refuse the call anyway
	declined  truth // a question about it was declined a short while ago
	approverFacts
}

// approverFacts are the facts about the question outside the client.
type approverFacts struct {
	outside outsideStatus
	fresh   bool    // this call asked it
	sends   ability // the way in which the client can send its user to the page of the approver
	opened  reply   // the client's answer to the address; noReply: it did not get the address
	waited  bool    // the call has waited for the ruling
}

// next returns the next step. The caller must set every field that a step looks
// up before it calls next again.
func (k confirmation) next() step {
	switch {
	case k.state != noState && k.reply == declined:
		return endQuestion // even if no person would be asked now
	case k.demanded == undetermined:
		return consultTool
	case k.demanded == doesNotHold:
		return proceed
	case k.demanded == mayHaveHeld:
		return k.nextUndemanded()
	case k.only && k.audited:
		return waive
	case k.only:
		return k.nextOutside()
	}
	switch k.state {
	case noState, staleState, authAskedState, sentOutsideState:
		return k.ask()
	case agreedState:
		return k.accept()
	case askedState:
	}
	switch k.reply {
	case accepted:
		return k.accept()
	case malformed:
		if k.malformed < maxMalformed {
			return askMalformed
		}
		return endQuestion
	case noReply, declined:
	}
	return k.ask()
}

// nextUndemanded lets a call go on that needs no person now, but may have needed
// one before. What a person answered then still counts.
func (k confirmation) nextUndemanded() step {
	switch {
	case k.audited || k.anonymous:
		return proceed
	case k.asksOutside() && (k.outside == notLookedUp || k.outside == approved):
		return k.nextOutside()
	}
	return cmp.Or(k.remembered(), proceed)
}

// accept uses an answer, unless the same question has been declined in the
// meantime.
func (k confirmation) accept() step {
	return cmp.Or(k.remembered(), takeAnswer)
}

// remembered returns the step that ends a call whose question was declined a
// short while ago, or the one that finds this out. It is empty if the question
// was not declined.
func (k confirmation) remembered() step { return k.declined.end(recall, refuseRemembered) }

// foreseen returns the step that ends a call that step-up would refuse, or the
// one that finds this out. It is empty if step-up would not refuse it.
func (k confirmation) foreseen() step { return k.hopeless.end(foresee, refuseForeseen) }

// end returns the step that finds out whether t holds, or the one to take if it
// does.
func (t truth) end(findOut, held step) step {
	switch t {
	case undetermined:
		return findOut
	case holds:
		return held
	case doesNotHold, mayHaveHeld:
	}
	return ""
}

// ask chooses how to ask a person. A question that was declined a short while
// ago is not asked.
func (k confirmation) ask() step {
	if k.audited {
		return waive
	}
	if ends := k.foreseen(); ends != "" {
		return ends
	}
	if k.asksOutside() {
		return k.nextOutside()
	}
	return cmp.Or(k.remembered(), k.askClient())
}

func (k confirmation) asksOutside() bool { return k.only || k.client == cannotAsk && k.approver }

func (k confirmation) askClient() step {
	switch {
	case k.client == asksInRounds:
		return askInRounds
	case k.client == cannotAsk:
		return refuseUnable
	case k.kept:
		return takeKept
	}
	return k.nextInCall()
}

// nextInCall asks while the call waits, again after a malformed answer.
func (k confirmation) nextInCall() step {
	switch {
	case k.inCall == accepted:
		return takeInCall
	case k.inCall == declined || k.attempts > maxMalformed:
		return refuseInCall
	}
	return askInCall
}

// nextOutside asks a person outside the client, or acts on the ruling.
func (k confirmation) nextOutside() step {
	if k.anonymous {
		return refuseAnonymous // a retry could not be tied to the same caller
	}
	switch k.outside {
	case notLookedUp:
		return lookOutside
	case askInProgress:
		return answerPending
	case undecided:
		return k.nextUndecided()
	case approved:
		return takeApproval
	case rejected:
		return refuseRejected
	case lapsedRejection:
		return cmp.Or(k.remembered(), makeRoom) // the declined question is over
	case notAsked:
	}
	return cmp.Or(k.foreseen(), k.remembered(), askOutside)
}

// nextUndecided sends the client's user to the page of the approver, once for
// each question, and waits for the ruling if the client accepts the address.
func (k confirmation) nextUndecided() step {
	switch {
	case k.fresh && k.opened == noReply && k.sends == asksInRounds:
		return sendInRounds
	case k.fresh && k.opened == noReply && k.sends == asksInCall:
		return sendInCall
	case k.opened == accepted && !k.waited:
		return awaitRuling
	case k.fresh:
		return answerPending // the approver was notified
	}
	return notifyApprover
}
