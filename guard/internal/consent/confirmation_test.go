package consent

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Each case is a combination of facts and the step that the machine takes.
// Cases build on the base values above.
func TestConfirmation_StepForEachCombination(t *testing.T) {
	t.Parallel()
	rounds := confirmation{demanded: holds, client: asksInRounds, hopeless: doesNotHold, declined: doesNotHold}
	within := confirmation{demanded: holds, client: asksInCall, hopeless: doesNotHold, declined: doesNotHold}
	unbound := confirmation{demanded: mayHaveHeld}
	unable := confirmation{demanded: holds, hopeless: doesNotHold, declined: doesNotHold}
	outside := confirmation{
		demanded:      holds,
		approver:      true,
		only:          true,
		client:        asksInRounds,
		hopeless:      doesNotHold,
		declined:      doesNotHold,
		approverFacts: approverFacts{outside: notAsked},
	}
	sent := outside
	sent.outside, sent.fresh = undecided, true
	answered := func(k confirmation, state stateKind, r reply) confirmation {
		k.state, k.reply = state, r
		return k
	}
	with := func(k confirmation, change func(*confirmation)) confirmation {
		change(&k)
		return k
	}
	answeredWithin := func(r reply) confirmation {
		return with(within, func(k *confirmation) { k.inCall, k.attempts = r, 1 })
	}
	for name, c := range map[string]struct {
		known confirmation
		want  step
	}{
		"nothing is known":                {confirmation{}, consultTool},
		"the contract does not demand it": {confirmation{demanded: doesNotHold}, proceed},

		// The bound of a session may have asked before.
		"below the bound":                         {with(unbound, func(k *confirmation) { k.declined = doesNotHold }), proceed},
		"below the bound, the memory is not read": {unbound, recall},
		"below the bound, declined lately":        {with(unbound, func(k *confirmation) { k.declined = holds }), refuseRemembered},
		"below the bound, only audited": {with(unbound, func(k *confirmation) {
			k.audited, k.declined = true, holds
		}), proceed},
		"below the bound, anonymous":         {with(unbound, func(k *confirmation) { k.anonymous = true }), proceed},
		"below the bound, an approver could": {with(unbound, func(k *confirmation) { k.approver = true }), lookOutside},
		"below the bound, approved outside": {with(unbound, func(k *confirmation) {
			k.only, k.outside = true, approved
		}), takeApproval},
		"below the bound, not asked outside": {with(unbound, func(k *confirmation) {
			k.approver, k.outside = true, notAsked
		}), recall},

		// A declined question ends whatever else is known.
		"declined": {answered(rounds, askedState, declined), endQuestion},
		"declined before the contract is consulted": {answered(confirmation{}, askedState, declined), endQuestion},
		"declined when no question is needed any more": {answered(confirmation{demanded: doesNotHold}, askedState, declined),
			endQuestion},
		"declined too late":                           {answered(rounds, staleState, declined), endQuestion},
		"declined after it was accepted":              {answered(rounds, agreedState, declined), endQuestion},
		"declined without a state":                    {answered(rounds, noState, declined), askInRounds},
		"declined although only the approver decides": {answered(outside, askedState, declined), endQuestion},
		"declined although the clause is only audited": {answered(with(rounds, func(k *confirmation) { k.audited = true }), askedState,
			declined), endQuestion},
		"declined with the state of an authentication": {answered(rounds, authAskedState, declined), endQuestion},

		// An answer counts with the state of its question.
		"accepted":                     {answered(rounds, askedState, accepted), takeAnswer},
		"accepted without a state":     {answered(rounds, noState, accepted), askInRounds},
		"accepted too late":            {answered(rounds, staleState, accepted), askInRounds},
		"accepted in an earlier round": {answered(rounds, agreedState, noReply), takeAnswer},
		"accepted without a question":  {answered(rounds, authAskedState, accepted), askInRounds},
		"accepted although only audited": {answered(with(rounds, func(k *confirmation) { k.audited = true }), askedState,
			accepted), takeAnswer},
		"accepted before the memory is read": {answered(with(rounds, func(k *confirmation) { k.declined = undetermined }), askedState,
			accepted), recall},
		"accepted after an equal call was declined": {answered(with(rounds, func(k *confirmation) { k.declined = holds }), askedState,
			accepted), refuseRemembered},
		"no answer": {answered(rounds, askedState, noReply), askInRounds},
		"malformed": {answered(rounds, askedState, malformed), askMalformed},
		"malformed for the last time": {answered(with(rounds, func(k *confirmation) { k.malformed = maxMalformed - 1 }), askedState,
			malformed), askMalformed},
		"malformed too often": {answered(with(rounds, func(k *confirmation) { k.malformed = maxMalformed }), askedState, malformed),
			endQuestion},

		// A question is asked in the way that the client supports.
		"in rounds":                 {rounds, askInRounds},
		"within the call":           {within, askInCall},
		"an equal call never began": {with(within, func(k *confirmation) { k.kept = true }), takeKept},
		"an equal call was declined since": {with(within, func(k *confirmation) { k.kept, k.declined = true, holds }),
			refuseRemembered},
		"kept, and asked in rounds": {with(rounds, func(k *confirmation) { k.kept = true }), askInRounds},
		"within, accepted":          {answeredWithin(accepted), takeInCall},
		"within, declined":          {answeredWithin(declined), refuseInCall},
		"within, malformed":         {answeredWithin(malformed), askInCall},
		"within, malformed for the last time": {with(answeredWithin(malformed), func(k *confirmation) { k.attempts = maxMalformed }),
			askInCall},
		"within, malformed too often": {with(answeredWithin(malformed), func(k *confirmation) { k.attempts = maxMalformed + 1 }),
			refuseInCall},
		"within, accepted in the end": {with(answeredWithin(accepted), func(k *confirmation) { k.attempts = maxMalformed + 1 }),
			takeInCall},
		"within, approved before": {with(within, func(k *confirmation) { k.kept = true }), takeKept},
		"the client cannot":       {unable, refuseUnable},
		"the client cannot, an approver can": {with(unable, func(k *confirmation) { k.approver, k.outside = true, notAsked }),
			askOutside},
		"the client and an approver can": {with(rounds, func(k *confirmation) { k.approver = true }), askInRounds},
		"only audited": {with(rounds, func(k *confirmation) {
			k.audited, k.hopeless, k.declined = true, undetermined,
				undetermined
		}), waive},

		// A question is asked only if the call can run after it and was not
		// declined lately.
		"step-up is not foreseen yet":        {with(rounds, func(k *confirmation) { k.hopeless = undetermined }), foresee},
		"step-up would refuse it":            {with(rounds, func(k *confirmation) { k.hopeless = holds }), refuseForeseen},
		"the memory is not read yet":         {with(rounds, func(k *confirmation) { k.declined = undetermined }), recall},
		"it was declined lately":             {with(rounds, func(k *confirmation) { k.declined = holds }), refuseRemembered},
		"it was declined lately, within":     {with(within, func(k *confirmation) { k.declined = holds }), refuseRemembered},
		"it was declined lately, and cannot": {with(unable, func(k *confirmation) { k.declined = holds }), refuseRemembered},
		"step-up would refuse what is declined": {with(rounds, func(k *confirmation) { k.hopeless, k.declined = holds, holds }),
			refuseForeseen},

		// Outside the client.
		"outside, only audited": {with(outside, func(k *confirmation) { k.audited = true }), waive},
		"outside, anonymous":    {with(outside, func(k *confirmation) { k.anonymous = true }), refuseAnonymous},
		"the client cannot, and anonymous": {with(unable, func(k *confirmation) { k.approver, k.anonymous = true, true }),
			refuseAnonymous},
		"outside, not looked up":          {with(outside, func(k *confirmation) { k.outside = notLookedUp }), lookOutside},
		"outside, not asked":              {outside, askOutside},
		"outside, another call is asking": {with(outside, func(k *confirmation) { k.outside = askInProgress }), answerPending},
		"outside, undecided":              {with(outside, func(k *confirmation) { k.outside = undecided }), notifyApprover},
		"outside, rejected":               {with(outside, func(k *confirmation) { k.outside = rejected }), refuseRejected},
		"outside, rejected long ago":      {with(outside, func(k *confirmation) { k.outside = lapsedRejection }), makeRoom},
		"lapsed, not recalled": {with(outside, func(k *confirmation) {
			k.outside, k.declined = lapsedRejection, undetermined
		}), recall},
		"outside, lapsed, others declined": {with(outside, func(k *confirmation) { k.outside, k.declined = lapsedRejection, holds }),
			refuseRemembered},
		"outside, approved":                {with(outside, func(k *confirmation) { k.outside = approved }), takeApproval},
		"outside, an answer of the client": {answered(outside, askedState, accepted), askOutside},
		"outside, not foreseen yet":        {with(outside, func(k *confirmation) { k.hopeless = undetermined }), foresee},
		"outside, step-up would refuse it": {with(outside, func(k *confirmation) { k.hopeless = holds }), refuseForeseen},
		"outside, the memory is not read":  {with(outside, func(k *confirmation) { k.declined = undetermined }), recall},
		"outside, declined lately":         {with(outside, func(k *confirmation) { k.declined = holds }), refuseRemembered},
		"outside, the client's word":       {answered(outside, sentOutsideState, accepted), askOutside},
		"outside, declined by the client":  {answered(outside, sentOutsideState, declined), endQuestion},

		// The client's user is sent to the page of the approver, once.
		"sent in rounds":               {with(sent, func(k *confirmation) { k.sends = asksInRounds }), sendInRounds},
		"sent within":                  {with(sent, func(k *confirmation) { k.sends = asksInCall }), sendInCall},
		"the client cannot be sent":    {sent, answerPending},
		"sent for an earlier question": {with(sent, func(k *confirmation) { k.sends, k.fresh = asksInRounds, false }), notifyApprover},
		"sent, accepted in rounds": {with(sent, func(k *confirmation) {
			k.sends, k.fresh, k.opened = asksInRounds, false,
				accepted
		}), awaitRuling},
		"sent, accepted within": {with(sent, func(k *confirmation) { k.sends, k.opened = asksInCall, accepted }), awaitRuling},
		"sent, waited in rounds": {with(sent, func(k *confirmation) { k.fresh, k.opened, k.waited = false, accepted, true }),
			notifyApprover},
		"sent, waited within": {with(sent, func(k *confirmation) { k.opened, k.waited = accepted, true }), answerPending},
		"sent, declined in rounds": {with(sent, func(k *confirmation) { k.sends, k.fresh, k.opened = asksInRounds, false, declined }),
			notifyApprover},
		"sent, declined within": {with(sent, func(k *confirmation) { k.sends, k.opened = asksInCall, declined }), answerPending},
		"sent, malformed":       {with(sent, func(k *confirmation) { k.sends, k.opened = asksInCall, malformed }), answerPending},
		"sent, approved": {with(sent, func(k *confirmation) { k.opened, k.waited, k.outside = accepted, true, approved }),
			takeApproval},
		"sent, rejected": {with(sent, func(k *confirmation) { k.opened, k.waited, k.outside = accepted, true, rejected }),
			refuseRejected},
		"sent, accepted without a ruling": {with(sent, func(k *confirmation) {
			k.opened, k.outside, k.state, k.reply = accepted, undecided, sentOutsideState, accepted
		}), awaitRuling},
		"outside, an approval stands": {with(outside, func(k *confirmation) { k.outside, k.declined = approved, holds }), takeApproval},
	} {
		assert.Equal(t, c.want, c.known.next(), name)
	}
}

// The machine never looks up a fact that it already has, so the service's loop
// ends.
func TestConfirmation_EveryLookUpMovesItForward(t *testing.T) {
	t.Parallel()
	states := []stateKind{noState, staleState, askedState, agreedState, authAskedState, sentOutsideState}
	each := func(do func(confirmation)) {
		for _, state := range states {
			for _, r := range []reply{noReply, malformed, declined, accepted} {
				for _, client := range []ability{cannotAsk, asksInCall, asksInRounds} {
					for flags := range 128 {
						do(confirmation{
							state:     state,
							reply:     r,
							client:    client,
							audited:   flags&1 > 0,
							approver:  flags&2 > 0,
							only:      flags&4 > 0,
							anonymous: flags&8 > 0,
							kept:      flags&16 > 0,
							approverFacts: approverFacts{
								sends: []ability{cannotAsk, asksInRounds, asksInCall, asksInCall}[flags>>5],
								opened: []reply{noReply, noReply, noReply,
									accepted}[flags>>5],
							},
						})
					}
				}
			}
		}
	}
	each(func(k confirmation) {
		found := lapsedRejection // then there is room for another question
		for range 12 {
			switch k.next() {
			case consultTool:
				assert.Equal(t, undetermined, k.demanded)
				k.demanded = holds
			case foresee:
				assert.Equal(t, undetermined, k.hopeless)
				k.hopeless = doesNotHold
			case recall:
				assert.Equal(t, undetermined, k.declined)
				k.declined = doesNotHold
			case lookOutside:
				assert.Equal(t, notLookedUp, k.outside)
				k.outside = found
			case makeRoom:
				assert.Equal(t, lapsedRejection, found)
				k.outside, found = notLookedUp, notAsked
			case askMalformed:
				k.malformed, k.reply = k.malformed+1, noReply
			case askOutside:
				assert.Equal(t, notAsked, k.outside)
				k.outside, k.fresh = undecided, true
			case sendInCall:
				assert.Equal(t, noReply, k.opened)
				k.opened = accepted
			case awaitRuling:
				assert.False(t, k.waited)
				k.waited = true
			case askInCall:
				k.inCall, k.attempts = malformed, k.attempts+1
			default:
				return
			}
		}
		t.Errorf("%+v does not come to an end", k)
	})
}

// An approval is never assumed. Only these steps let the call continue, and
// each needs the fact that it is named after.
func TestConfirmation_ProceedsOnlyForAReason(t *testing.T) {
	t.Parallel()
	for _, state := range []stateKind{noState, staleState, askedState, agreedState, authAskedState, sentOutsideState} {
		for _, r := range []reply{noReply, malformed, declined, accepted} {
			for _, o := range []outsideStatus{notLookedUp, notAsked, askInProgress, undecided, approved, rejected, lapsedRejection} {
				for flags := range 64 {
					k := confirmation{
						demanded: holds,
						hopeless: doesNotHold,
						declined: doesNotHold,
						state:    state,
						reply:    r,
						client:   []ability{cannotAsk, asksInRounds}[flags&1],
						audited:  flags&2 > 0,
						approver: flags&4 > 0,
						only:     flags&8 > 0,
						approverFacts: approverFacts{
							outside: o,
							sends:   asksInRounds,
							opened:  []reply{noReply, accepted}[flags>>4&1],
							waited:  flags&32 > 0,
						},
					}
					switch k.next() {
					case proceed:
						t.Errorf("%+v proceeds", k)
					case waive:
						assert.True(t, k.audited, "%+v", k)
					case takeAnswer:
						assert.True(t, state == askedState && r == accepted || state == agreedState && r != declined, "%+v", k)
						assert.False(t, k.only, "%+v", k)
					case takeApproval:
						assert.Equal(t, approved, o, "%+v", k)
					case takeInCall:
						assert.Equal(t, accepted, k.inCall, "%+v", k)
						assert.False(t, k.only, "%+v", k)
					default:
					}
				}
			}
		}
	}
}
