package consent

// A finding is what the search for a person's authentication for a call has
// found.
type finding int

const (
	notSearched finding = iota
	notMade
	tooOld     // it was made, but no longer meets the demand
	sufficient // it meets the demand
	unreadable // the store cannot be read
	disowned   // the person reported that the call was not theirs
)

// The steps of [authentication]. They share [step] with those of
// [confirmation].
const (
	// These look something up.
	search        step = "search"         // looks for the authentication that was made for the call
	await         step = "await"          // waits for it, because the client accepted the address
	readRecord    step = "read record"    // looks for the outcome of an equal call
	requestInCall step = "request within" // sends the person to the page while the call waits

	// These change the session and go on.
	takeRound step = "take round" // spends the round, so that one authentication is one execution

	// These end the call.
	requestInRounds     step = "request in rounds"
	refuseUnreadable    step = "refuse as unreadable"
	replay              step = "replay"
	refuseDeclinedAuth  step = "refuse and remember as declined"
	refuseDisowned      step = "refuse as disowned" // the page has remembered it
	refuseNotSufficient step = "refuse for step-up after all"
)

// An authentication is the state of the step-up of one call: what is known so
// far. Its method next decides how to go on. The zero value of a field means
// that the fact is not known yet or does not apply.
type authentication struct {
	lacking  bool // the caller's authentication does not meet the demand
	audited  bool // the clause is only audited
	round    bool // the call answers a request to authenticate for it
	granted  bool // it has a grant to spend
	kept     bool // the client accepted to authenticate for an equal call of the session, which never began
	client   ability
	reply    reply // the client's answer whether the address may be opened
	inCall   reply // the answer to that while the call waits; noReply: it was not asked
	finding  finding
	waited   bool  // the call has waited for the person to authenticate
	closing  bool  // the guard no longer waits for calls
	recorded truth // an equal call has an outcome
	declined truth // a step-up for the call was declined a short while ago
}

// next returns the next step. The caller must set every field that a step looks
// up before it calls next again.
func (k authentication) next() step {
	switch {
	case k.round && !k.granted:
		return takeRound // even if step-up is no longer required
	case !k.lacking:
		return proceed
	case k.audited:
		return waive
	case k.finding == disowned:
		return refuseDisowned
	case k.inCall != noReply:
		return k.nextInCall()
	case !k.round && k.kept && k.finding == notSearched:
		return search
	case !k.round && k.kept && k.finding == sufficient:
		return proceed
	case !k.round && k.kept && k.finding == unreadable:
		return refuseUnreadable
	case !k.round:
		return k.ask()
	}
	switch k.finding {
	case notSearched:
		return search
	case sufficient:
		return proceed
	case notMade, unreadable:
		if k.reply == accepted && !k.waited {
			return await
		}
	case tooOld, disowned:
	}
	switch {
	case k.finding == unreadable || k.closing:
		return refuseUnreadable
	case k.recorded == undetermined:
		return readRecord
	case k.recorded == holds:
		return replay
	case k.finding == notMade && k.reply == declined:
		return refuseDeclinedAuth
	}
	return k.ask()
}

// ask sends the person to the page, unless a step-up was declined a short while
// ago.
func (k authentication) ask() step {
	switch {
	case k.client == cannotAsk:
		return refuseNotSufficient
	case k.declined == undetermined:
		return recall
	case k.declined == holds:
		return refuseNotSufficient
	case k.client == asksInRounds:
		return requestInRounds
	}
	return requestInCall
}

// nextInCall goes on after the client has answered whether the address may be
// opened.
func (k authentication) nextInCall() step {
	switch {
	case k.inCall == declined:
		return refuseDeclinedAuth
	case k.inCall != accepted:
		return refuseNotSufficient
	case k.finding == notSearched:
		return search
	case k.finding == sufficient:
		return proceed
	case (k.finding == notMade || k.finding == unreadable) && !k.waited:
		return await
	case k.finding == unreadable || k.closing:
		return refuseUnreadable
	}
	return refuseNotSufficient
}
