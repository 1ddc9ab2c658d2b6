package storetest

// An Operation is the name of a method of [store.Store] or [store.Counter].
type Operation string

// The operations of [store.Store].
const (
	Claim    Operation = "Claim"
	Mark     Operation = "Mark"
	Renew    Operation = "Renew"
	Complete Operation = "Complete"
	Release  Operation = "Release"
	Get      Operation = "Get"
	Resolve  Operation = "Resolve"
)

// The operations of [store.Counter]; see [Faulty.Counting].
const (
	Add   Operation = "Add"
	Max   Operation = "Max"
	Reset Operation = "Reset"
)

// Operations returns every operation of [store.Store], in a slice that belongs to the caller.
func Operations() []Operation {
	return []Operation{Claim, Mark, Renew, Complete, Release, Get, Resolve}
}
