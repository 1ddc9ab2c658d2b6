package consent

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestAuthentication_StepForEachCombination(t *testing.T) {
	t.Parallel()
	first := authentication{lacking: true, client: asksInRounds, declined: doesNotHold}
	round := authentication{
		lacking:  true,
		client:   asksInRounds,
		declined: doesNotHold,
		round:    true,
		granted:  true,
		recorded: doesNotHold,
	}
	with := func(k authentication, change func(*authentication)) authentication {
		change(&k)
		return k
	}
	found := func(f finding, r reply) authentication {
		return with(round, func(k *authentication) { k.finding, k.reply = f, r })
	}
	waited := func(f finding, r reply) authentication {
		return with(found(f, r), func(k *authentication) { k.waited = true })
	}
	within := func(r reply, f finding) authentication {
		return with(first, func(k *authentication) { k.client, k.inCall, k.finding = asksInCall, r, f })
	}
	waitedWithin := func(f finding) authentication {
		return with(within(accepted, f), func(k *authentication) { k.waited = true })
	}
	for name, c := range map[string]struct {
		known authentication
		want  step
	}{
		// The caller's own authentication.
		"it is enough":                            {authentication{}, proceed},
		"it is enough, in a round":                {authentication{round: true}, takeRound},
		"it is enough, in a round that is taken":  {authentication{round: true, granted: true}, proceed},
		"it is not enough, and only audited":      {authentication{lacking: true, audited: true}, waive},
		"it is not enough, only audited, a round": {authentication{lacking: true, audited: true, round: true}, takeRound},

		// The first call.
		"in rounds":                  {first, requestInRounds},
		"within the call":            {with(first, func(k *authentication) { k.client = asksInCall }), requestInCall},
		"the client cannot":          {with(first, func(k *authentication) { k.client = cannotAsk }), refuseNotSufficient},
		"the memory is not read yet": {with(first, func(k *authentication) { k.declined = undetermined }), recall},
		"declined lately":            {with(first, func(k *authentication) { k.declined = holds }), refuseNotSufficient},
		"an answer without a round":  {with(first, func(k *authentication) { k.reply = accepted }), requestInRounds},

		// A request within the call.
		"within, declined":                  {within(declined, notSearched), refuseDeclinedAuth},
		"within, malformed":                 {within(malformed, notSearched), refuseNotSufficient},
		"within, accepted":                  {within(accepted, notSearched), search},
		"within, and it was made":           {within(accepted, sufficient), proceed},
		"within, and it is too old":         {within(accepted, tooOld), refuseNotSufficient},
		"within, and it is not theirs":      {within(accepted, disowned), refuseDisowned},
		"within, not theirs in the end":     {waitedWithin(disowned), refuseDisowned},
		"within, and it was not made":       {within(accepted, notMade), await},
		"within, and unreadable":            {within(accepted, unreadable), await},
		"within, and the call waited":       {waitedWithin(notMade), refuseNotSufficient},
		"within, and unreadable to the end": {waitedWithin(unreadable), refuseUnreadable},
		"within, and made while it waited":  {waitedWithin(sufficient), proceed},
		"within, and closing": {with(waitedWithin(notMade), func(k *authentication) { k.closing = true }),
			refuseUnreadable},
		"within, in a round that declined it": {with(within(accepted, notSearched), func(k *authentication) {
			k.round, k.granted,
				k.reply = true, true, declined
		}), search},

		// An equal call of the session never began.
		"kept, and not searched":     {with(first, func(k *authentication) { k.kept = true }), search},
		"kept, and it was made":      {with(first, func(k *authentication) { k.kept, k.finding = true, sufficient }), proceed},
		"kept, and it was not made":  {with(first, func(k *authentication) { k.kept, k.finding = true, notMade }), requestInRounds},
		"kept, and it is not theirs": {with(first, func(k *authentication) { k.kept, k.finding = true, disowned }), refuseDisowned},
		"kept, and it is too old":    {with(first, func(k *authentication) { k.kept, k.finding = true, tooOld }), requestInRounds},
		"kept, and unreadable":       {with(first, func(k *authentication) { k.kept, k.finding = true, unreadable }), refuseUnreadable},

		// A round.
		"a round is one execution":            {with(round, func(k *authentication) { k.granted = false }), takeRound},
		"not searched":                        {round, search},
		"it was made":                         {found(sufficient, accepted), proceed},
		"it was made, and declined":           {found(sufficient, declined), proceed},
		"it is too old, and the client waits": {found(tooOld, accepted), requestInRounds},
		"it is not theirs":                    {found(disowned, accepted), refuseDisowned},
		"it is not theirs, and closing": {with(found(disowned, noReply), func(k *authentication) { k.closing = true }),
			refuseDisowned},
		"not made, and the client waits":    {found(notMade, accepted), await},
		"not made, and the client waited":   {waited(notMade, accepted), requestInRounds},
		"not made, and no answer":           {found(notMade, noReply), requestInRounds},
		"not made, and malformed":           {found(notMade, malformed), requestInRounds},
		"not made, and declined":            {found(notMade, declined), refuseDeclinedAuth},
		"too old, and declined":             {found(tooOld, declined), requestInRounds},
		"unreadable, and the client waits":  {found(unreadable, accepted), await},
		"unreadable, and the client waited": {waited(unreadable, accepted), refuseUnreadable},
		"unreadable, and declined":          {found(unreadable, declined), refuseUnreadable},
		"not made, and closing": {with(waited(notMade, accepted), func(k *authentication) { k.closing = true }),
			refuseUnreadable},
		"too old, and closing": {with(found(tooOld, noReply), func(k *authentication) { k.closing = true }), refuseUnreadable},
		"made, and closing":    {with(found(sufficient, accepted), func(k *authentication) { k.closing = true }), proceed},

		// An equal call may have ended in the meantime.
		"the record is not read yet": {with(found(notMade, declined), func(k *authentication) { k.recorded = undetermined }),
			readRecord},
		"the call has an outcome":        {with(found(notMade, declined), func(k *authentication) { k.recorded = holds }), replay},
		"too old, and it has an outcome": {with(found(tooOld, accepted), func(k *authentication) { k.recorded = holds }), replay},
		"a round, and declined lately": {with(found(notMade, noReply), func(k *authentication) { k.declined = holds }),
			refuseNotSufficient},
		"a round, and the client cannot": {with(found(notMade, noReply), func(k *authentication) { k.client = cannotAsk }),
			refuseNotSufficient},
		"a round, and it is asked within": {with(found(notMade, noReply), func(k *authentication) { k.client = asksInCall }),
			requestInCall},
	} {
		assert.Equal(t, c.want, c.known.next(), name)
	}
}

// eachAuthentication calls do with each combination of the facts that are known
// before a look-up, for an insufficient authentication.
func eachAuthentication(do func(authentication)) {
	for _, r := range []reply{noReply, malformed, declined, accepted} {
		for _, client := range []ability{cannotAsk, asksInCall, asksInRounds} {
			for flags := range 16 {
				do(authentication{
					lacking: true, reply: r, client: client,
					round: flags&1 > 0, granted: flags&2 > 0, kept: flags&4 > 0, audited: flags&8 > 0,
				})
			}
		}
	}
}

// The machine never looks up a fact that it already has, so the service's loop
// ends.
func TestAuthentication_EveryLookUpMovesItForward(t *testing.T) {
	t.Parallel()
	for _, found := range []finding{notMade, tooOld, sufficient, unreadable, disowned} {
		for _, within := range []reply{malformed, declined, accepted} {
			eachAuthentication(func(k authentication) {
				for range 12 {
					switch k.next() {
					case takeRound:
						assert.False(t, k.granted)
						k.granted = true
					case search:
						assert.Equal(t, notSearched, k.finding)
						k.finding = found
					case await:
						assert.False(t, k.waited)
						k.finding, k.waited = found, true
					case readRecord:
						assert.Equal(t, undetermined, k.recorded)
						k.recorded = doesNotHold
					case recall:
						assert.Equal(t, undetermined, k.declined)
						k.declined = doesNotHold
					case requestInCall:
						assert.Equal(t, noReply, k.inCall)
						k.inCall, k.finding, k.waited = within, notSearched, false
					default:
						return
					}
				}
				t.Errorf("%+v does not come to an end", k)
			})
		}
	}
}

// A call with an insufficient authentication proceeds only with one that was
// made for it.
func TestAuthentication_ProceedsOnlyForAReason(t *testing.T) {
	t.Parallel()
	for _, f := range []finding{notSearched, notMade, tooOld, sufficient, unreadable} {
		for _, within := range []reply{noReply, malformed, declined, accepted} {
			eachAuthentication(func(k authentication) {
				for flags := range 16 {
					k.finding, k.inCall = f, within
					k.waited, k.closing = flags&1 > 0, flags&2 > 0
					k.recorded, k.declined = truthOf(flags&4 > 0), truthOf(flags&8 > 0)
					if k.next() == proceed {
						assert.Equal(t, sufficient, f, "%+v", k)
						assert.True(t, within == accepted || within == noReply && (k.round || k.kept), "%+v", k)
					}
				}
			})
		}
	}
}
