package consent

// A finding is what is known of the authentication that a person made for a
// call.
type finding int

const (
	notSearched finding = iota
	notMade
	tooOld     // it was made, and no longer meets the demand
	sufficient // it meets the demand
	unreadable // it cannot be found out
)

// The steps of [authentication]. They share [step] with those of
// [confirmation].
const (
	// These find something out.
	search     step = "search"      // for the authentication that was made for the call
	await      step = "await"       // waits for it, because the client accepted the address
	readRecord step = "read record" // whether an equal call has an outcome

	// These change the session and go on.
	takeRound step = "take round" // one authentication is one execution

	// These end the call.
	requestInRounds     step = "request in rounds"
	requestWithin       step = "request within"
	refuseUnreadable    step = "refuse as unreadable"
	replay              step = "replay"
	refuseDeclinedAuth  step = "refuse and remember as declined"
	refuseNotSufficient step = "refuse for step-up after all"
)

// An authentication is what is known of a call whose contract demands step-up.
// Its method next decides; the zero value of each field means that nothing is
// known of it, or that it does not apply.
type authentication struct {
	lacking  bool // the caller's authentication does not meet the demand
	audited  bool // the clause is only audited
	round    bool // the call answers a request to authenticate for it
	granted  bool // it has a grant to spend
	client   ability
	reply    reply // to the question whether the address may be opened
	made     finding
	waited   bool      // for the person to authenticate
	closing  bool      // the guard no longer waits for calls
	recorded knowledge // an equal call has an outcome
	declined knowledge // lately
}

// next returns the next step. Every field that a step finds out must be known
// when next is called again.
func (k authentication) next() step {
	switch {
	case k.round && !k.granted:
		return takeRound // even if no step-up is needed any more
	case !k.lacking:
		return proceed
	case k.audited:
		return waive
	case !k.round:
		return k.ask()
	}
	switch k.made {
	case notSearched:
		return search
	case sufficient:
		return proceed
	case notMade, unreadable:
		if k.reply == accepted && !k.waited {
			return await
		}
	case tooOld:
	}
	switch {
	case k.made == unreadable || k.closing:
		return refuseUnreadable
	case k.recorded == unknown:
		return readRecord
	case k.recorded == yes:
		return replay
	case k.made == notMade && k.reply == declined:
		return refuseDeclinedAuth
	}
	return k.ask()
}

// ask sends the person to the page, unless that was declined lately.
func (k authentication) ask() step {
	switch {
	case k.client == cannotAsk:
		return refuseNotSufficient
	case k.declined == unknown:
		return recall
	case k.declined == yes:
		return refuseNotSufficient
	case k.client == asksInRounds:
		return requestInRounds
	}
	return requestWithin
}
