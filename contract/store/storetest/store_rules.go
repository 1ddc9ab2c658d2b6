package storetest

// StoreRules returns the rules of [store.Store] in the order in which [RunStore] checks them, in a
// slice that belongs to the caller.
func StoreRules() []Rule {
	return []Rule{
		{
			Name:        "claim-atomic",
			Explanation: "of any number of claims on one key at once, one owner's is claimed (rule 1)",
			check:       checkClaimAtomic,
		},
		{
			Name:        "concurrent",
			Explanation: "several goroutines may use the store, and it mixes up nothing (the interface)",
			check:       checkConcurrent,
		},
		{
			Name:        "partitions",
			Explanation: "keys that differ in the partition or in the ID alone are two records (Key)",
			check:       checkPartitions,
		},
		{
			Name:        "record",
			Explanation: "Get returns what was written, and the zero Record where there is none (Get)",
			check:       checkRecord,
		},
		{
			Name:        "running",
			Explanation: "while a lease lasts, others hear that the record is running, and for how long (rule 1)",
			check:       checkRunning,
		},
		{
			Name:        "lapsed",
			Explanation: "a record that was not started is for the next to claim when its lease is over (rule 1)",
			check:       checkLapsed,
		},
		{
			Name:        "abandoned",
			Explanation: "a started record whose lease is over, and an unknown one, is abandoned for all without Rerun (rule 1)",
			check:       checkAbandoned,
		},
		{
			Name:        "rerun",
			Explanation: "a claim with Rerun takes over an abandoned record, and no other (rule 1)",
			check:       checkRerun,
		},
		{
			Name:        "finished",
			Explanation: "a claim on a finished record is answered with its state and its result (rule 1)",
			check:       checkFinished,
		},
		{
			Name:        "conflict",
			Explanation: "another fingerprint conflicts in every state, learns nothing and changes nothing (rule 1)",
			check:       checkConflict,
		},
		{
			Name:        "claim-repeated",
			Explanation: "a claim that its owner repeats is claimed again and renews the lease (rule 2)",
			check:       checkClaimRepeated,
		},
		{
			Name:        "started",
			Explanation: "Start and Mark say that the execution may have begun, and nothing takes it back (Claim, Mark)",
			check:       checkStarted,
		},
		{
			Name:        "owner",
			Explanation: "who does not hold the record, or no longer, changes nothing and gets ErrLost (rule 3)",
			check:       checkOwner,
		},
		{
			Name:        "state",
			Explanation: "an owner cannot mark, renew or release what has ended, and gets ErrLost (Mark, Renew, Release)",
			check:       checkState,
		},
		{
			Name:        "lease-retention",
			Explanation: "the end of a lease removes nothing (rule 4)",
			check:       checkLeaseRetention,
		},
		{
			Name:        "renewal",
			Explanation: "a renewal lets the lease begin again, also one that is over but not taken (Renew)",
			check:       checkRenewal,
		},
		{
			Name:        "renewal-retention",
			Explanation: "a renewal never lets a record end before its lease, nor earlier than it would have (rule 4)",
			check:       checkRenewalRetention,
		},
		{
			Name:        "edges",
			Explanation: "a lease or a retention of d, given at t, is over at t+d exactly (rule 5)",
			check:       checkEdges,
			needs:       []hook{exactly},
		},
		{
			Name:        "late",
			Explanation: "an owner completes its record late, while nobody else has claimed or resolved it (rule 6)",
			check:       checkLate,
		},
		{
			Name:        "first-outcome",
			Explanation: "to complete again is no error and changes nothing (rule 7)",
			check:       checkFirstOutcome,
		},
		{
			Name:        "results",
			Explanation: "nil, empty and any bytes come back as they were given (rule 8)",
			check:       checkResults,
		},
		{
			Name:        "aliasing",
			Explanation: "a result shares nothing with the slices of the callers (rule 8)",
			check:       checkAliasing,
		},
		{
			Name:        "nonce",
			Explanation: "a claim spends its nonce for its owner, and others do not get their record with it (rule 9)",
			check:       checkNonce,
		},
		{
			Name:        "nonce-unspent",
			Explanation: "a claim that is not claimed spends no nonce (rule 9)",
			check:       checkNonceUnspent,
		},
		{
			Name:        "nonce-atomic",
			Explanation: "of any number of claims with one nonce at once, on as many keys, one is claimed (rule 9)",
			check:       checkNonceAtomic,
		},
		{
			Name:        "nonce-kept",
			Explanation: "a nonce stays spent for its TTL, whatever becomes of the record (rule 9)",
			check:       checkNonceKept,
		},
		{
			Name:        "budget",
			Explanation: "a claim whose budget is used up takes nothing, spends nothing and changes nothing (rule 14)",
			check:       checkBudget,
		},
		{
			Name:        "budget-found",
			Explanation: "what is on record is answered, and repeated by its owner, whatever the budget (rule 14)",
			check:       checkBudgetFound,
		},
		{
			Name:        "budget-atomic",
			Explanation: "what was counted before a record is free counts for every claim that takes it (rule 14)",
			check:       checkBudgetAtomic,
		},
		{
			Name:        "forget",
			Explanation: "a completion forgets the counts that it names, where it takes place and only there (rule 15)",
			check:       checkForget,
		},
		{
			Name:        "expiry",
			Explanation: "a record whose retention is over does not exist, and leaves nothing to the next (rule 10)",
			check:       checkExpiry,
		},
		{
			Name:        "completion-retention",
			Explanation: "the completion says anew how long the record exists, and no time removes it at once (Completion)",
			check:       checkCompletionRetention,
		},
		{
			Name:        "release",
			Explanation: "Release removes the record, for any fingerprint to claim (Release)",
			check:       checkRelease,
		},
		{
			Name:        "resolve",
			Explanation: "Resolve ends the doubt about an abandoned record, and about no other (Resolve)",
			check:       checkResolve,
		},
		{
			Name:        "cancelled",
			Explanation: "an operation whose context is done returns an error and changes nothing (rule 11)",
			check:       checkCancelled,
		},
		{
			Name:        "deadline",
			Explanation: "an operation returns soon after its context is done, also while the storage hangs (rule 11)",
			check:       checkDeadline,
			needs:       []hook{hanging},
		},
		{
			Name:        "full",
			Explanation: "a store that is full refuses new claims and forgets no record and no nonce (rule 12)",
			check:       checkFull,
			needs:       []hook{filled},
		},
		{
			Name:        "invalid",
			Explanation: "a request that breaks the rules of its fields gets ErrInvalid and changes nothing (rule 13)",
			check:       checkInvalid,
		},
		{
			Name:        "errors",
			Explanation: "errors carry no keys, owners or results (the interface)",
			check:       checkErrors,
		},
	}
}
