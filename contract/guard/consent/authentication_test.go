package consent

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestAuthentication_StepForEachCombination(t *testing.T) {
	t.Parallel()
	first := authentication{lacking: true, client: asksInRounds, declined: no}
	round := authentication{lacking: true, client: asksInRounds, declined: no, round: true, granted: true, recorded: no}
	with := func(k authentication, change func(*authentication)) authentication {
		change(&k)
		return k
	}
	found := func(f finding, r reply) authentication {
		return with(round, func(k *authentication) { k.made, k.reply = f, r })
	}
	waited := func(f finding, r reply) authentication {
		return with(found(f, r), func(k *authentication) { k.waited = true })
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
		"within the call":            {with(first, func(k *authentication) { k.client = asksWithin }), requestWithin},
		"the client cannot":          {with(first, func(k *authentication) { k.client = cannotAsk }), refuseNotSufficient},
		"the memory is not read yet": {with(first, func(k *authentication) { k.declined = unknown }), recall},
		"declined lately":            {with(first, func(k *authentication) { k.declined = yes }), refuseNotSufficient},
		"an answer without a round":  {with(first, func(k *authentication) { k.reply = accepted }), requestInRounds},

		// An equal call of the session never began.
		"kept, and not searched":    {with(first, func(k *authentication) { k.kept = true }), search},
		"kept, and it was made":     {with(first, func(k *authentication) { k.kept, k.made = true, sufficient }), proceed},
		"kept, and it was not made": {with(first, func(k *authentication) { k.kept, k.made = true, notMade }), requestInRounds},
		"kept, and it is too old":   {with(first, func(k *authentication) { k.kept, k.made = true, tooOld }), requestInRounds},
		"kept, and unreadable":      {with(first, func(k *authentication) { k.kept, k.made = true, unreadable }), refuseUnreadable},

		// A round.
		"a round is one execution":            {with(round, func(k *authentication) { k.granted = false }), takeRound},
		"not searched":                        {round, search},
		"it was made":                         {found(sufficient, accepted), proceed},
		"it was made, and declined":           {found(sufficient, declined), proceed},
		"it is too old, and the client waits": {found(tooOld, accepted), requestInRounds},
		"not made, and the client waits":      {found(notMade, accepted), await},
		"not made, and the client waited":     {waited(notMade, accepted), requestInRounds},
		"not made, and no answer":             {found(notMade, noReply), requestInRounds},
		"not made, and malformed":             {found(notMade, malformed), requestInRounds},
		"not made, and declined":              {found(notMade, declined), refuseDeclinedAuth},
		"too old, and declined":               {found(tooOld, declined), requestInRounds},
		"unreadable, and the client waits":    {found(unreadable, accepted), await},
		"unreadable, and the client waited":   {waited(unreadable, accepted), refuseUnreadable},
		"unreadable, and declined":            {found(unreadable, declined), refuseUnreadable},
		"not made, and closing":               {with(waited(notMade, accepted), func(k *authentication) { k.closing = true }), refuseUnreadable},
		"too old, and closing":                {with(found(tooOld, noReply), func(k *authentication) { k.closing = true }), refuseUnreadable},
		"made, and closing":                   {with(found(sufficient, accepted), func(k *authentication) { k.closing = true }), proceed},

		// An equal call may have ended in the meantime.
		"the record is not read yet":      {with(found(notMade, declined), func(k *authentication) { k.recorded = unknown }), readRecord},
		"the call has an outcome":         {with(found(notMade, declined), func(k *authentication) { k.recorded = yes }), replay},
		"too old, and it has an outcome":  {with(found(tooOld, accepted), func(k *authentication) { k.recorded = yes }), replay},
		"a round, and declined lately":    {with(found(notMade, noReply), func(k *authentication) { k.declined = yes }), refuseNotSufficient},
		"a round, and the client cannot":  {with(found(notMade, noReply), func(k *authentication) { k.client = cannotAsk }), refuseNotSufficient},
		"a round, and it is asked within": {with(found(notMade, noReply), func(k *authentication) { k.client = asksWithin }), requestWithin},
	} {
		assert.Equal(t, c.want, c.known.next(), name)
	}
}

// A call with an insufficient authentication proceeds only with one made for
// it.
func TestAuthentication_ProceedsOnlyForAReason(t *testing.T) {
	t.Parallel()
	for _, f := range []finding{notSearched, notMade, tooOld, sufficient, unreadable} {
		for _, r := range []reply{noReply, malformed, declined, accepted} {
			for flags := range 32 {
				k := authentication{
					lacking: true, granted: true, made: f, reply: r, client: asksInRounds,
					round: flags&1 > 0, waited: flags&2 > 0, closing: flags&4 > 0,
					recorded: known(flags&8 > 0), declined: known(flags&16 > 0),
				}
				if k.next() == proceed {
					assert.True(t, k.round && f == sufficient, "%+v", k)
				}
			}
		}
	}
}
