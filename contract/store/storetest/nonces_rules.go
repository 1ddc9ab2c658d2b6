package storetest

// NoncesRules returns the rules of [store.Store] in the order in which [RunNonces] checks them, in a
// slice that belongs to the caller.
func NoncesRules() []Rule {
	return []Rule{
		{
			Name:        "single",
			Explanation: "of any number of owners at once, one spends a nonce, and later ones do not (rule 1)",
			check:       checkSpendSingle,
		},
		{
			Name:        "repeated",
			Explanation: "to spend again with the same owner is true again and does not lengthen the TTL (rule 2)",
			check:       checkSpendRepeated,
		},
		{
			Name:        "remembered",
			Explanation: "a nonce is spent until its TTL is over, and no longer (rules 1 and 3)",
			check:       checkSpendRemembered,
		},
		{
			Name:        "edges",
			Explanation: "a TTL of d, given at t, is over at t+d exactly (rule 1)",
			check:       checkSpendEdges,
			needs:       []hook{exactly},
		},
		{
			Name:        "apart",
			Explanation: "the same key may name a nonce and a record (rule 4)",
			check:       checkSpendApart,
		},
		{
			Name:        "claim",
			Explanation: "a nonce that a claim spent is spent here, and the other way round (rule 4)",
			check:       checkSpendClaim,
		},
		{
			Name:        "partitions",
			Explanation: "keys that differ in the partition or in the ID alone are two nonces (Key)",
			check:       checkSpendPartitions,
		},
		{
			Name:        "full",
			Explanation: "where there is no room the error is ErrFull, and no nonce is forgotten (rule 3)",
			check:       checkSpendFull,
			needs:       []hook{filled},
		},
		{
			Name:        "invalid",
			Explanation: "a nonce without key or TTL, and no owner, get ErrInvalid and spend nothing (Nonce, Owner)",
			check:       checkSpendInvalid,
		},
		{
			Name:        "cancelled",
			Explanation: "with a context that is done Spend returns an error and spends nothing (rule 11 of Store)",
			check:       checkSpendCancelled,
		},
		{
			Name:        "deadline",
			Explanation: "Spend returns soon after its context is done, also while the storage hangs (rule 11 of Store)",
			check:       checkSpendDeadline,
			needs:       []hook{hanging},
		},
	}
}
