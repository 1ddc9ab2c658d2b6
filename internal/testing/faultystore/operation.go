package faultystore

// An Operation names a method of [store.Store] that uses the storage.
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
	Spend    Operation = "Spend"
	Add      Operation = "Add"
	Max      Operation = "Max"
	Reset    Operation = "Reset"
)

// Operations returns all operations. The slice belongs to the caller.
func Operations() []Operation {
	return []Operation{Claim, Mark, Renew, Complete, Release, Get, Resolve, Spend, Add, Max, Reset}
}
