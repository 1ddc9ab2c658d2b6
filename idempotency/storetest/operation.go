package storetest

// An Operation is the name of a method of [idempotency.Store] or [idempotency.Counter].
type Operation string

// The operations of [idempotency.Store].
const (
	Claim    Operation = "Claim"
	Mark     Operation = "Mark"
	Renew    Operation = "Renew"
	Complete Operation = "Complete"
	Release  Operation = "Release"
	Get      Operation = "Get"
	Resolve  Operation = "Resolve"
)

// The operations of [idempotency.Counter]; see [Faulty.Counting].
const (
	Add   Operation = "Add"
	Max   Operation = "Max"
	Reset Operation = "Reset"
)

// Operations returns every operation of [idempotency.Store], in a slice that belongs to the caller.
func Operations() []Operation {
	return []Operation{Claim, Mark, Renew, Complete, Release, Get, Resolve}
}
