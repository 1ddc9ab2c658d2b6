package storetest

// CounterRules returns the rules of [store.Store] in the order in which [RunCounter] checks them, in
// a slice that belongs to the caller. Which counts go when there is no room is not checked.
func CounterRules() []Rule {
	return []Rule{
		{
			Name:        "atomic",
			Explanation: "n additions at once return each of 1 to n once (rule 1)",
			check:       checkAddAtomic,
		},
		{
			Name:        "kinds",
			Explanation: "each kind is counted for itself, whatever its text (Add)",
			check:       checkKinds,
		},
		{
			Name:        "keys",
			Explanation: "keys that differ in the partition or in the ID alone are counted for themselves (Key)",
			check:       checkCounterKeys,
		},
		{
			Name:        "max",
			Explanation: "Max is the highest count of any kind, and zero where nothing was counted (Max)",
			check:       checkMax,
		},
		{
			Name:        "window",
			Explanation: "the window begins with the first addition of any kind, and later ones do not move it (rule 2)",
			check:       checkWindow,
		},
		{
			Name:        "edges",
			Explanation: "a window of d, begun at t, is over at t+d exactly (rule 2)",
			check:       checkWindowEdges,
			needs:       []hook{exactly},
		},
		{
			Name:        "reset",
			Explanation: "Reset forgets all counts of the key, and of no other; the next window is a new one (Reset)",
			check:       checkReset,
		},
		{
			Name:        "apart-records",
			Explanation: "the same key may name counts and a record (rule 3)",
			check:       checkCountsApartFromRecords,
		},
		{
			Name:        "apart-nonces",
			Explanation: "the same key may name counts and a nonce (rule 3)",
			check:       checkCountsApartFromNonces,
		},
		{
			Name:        "invalid",
			Explanation: "a window that is not positive, and no key, get ErrInvalid and count nothing (Add, Key)",
			check:       checkCounterInvalid,
		},
		{
			Name:        "cancelled",
			Explanation: "with a context that is done an operation returns an error and changes nothing (rule 11 of Store)",
			check:       checkCounterCancelled,
		},
		{
			Name:        "deadline",
			Explanation: "an operation returns soon after its context is done, also while the storage hangs (rule 11 of Store)",
			check:       checkCounterDeadline,
			needs:       []hook{hanging},
		},
	}
}
