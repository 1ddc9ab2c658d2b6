package store

import (
	"container/heap"
	"time"
)

// An expiring is a map whose entries expire. It knows which entry expires next,
// and how many entries each partition has. A lookup takes constant time, every
// other operation logarithmic time.
type expiring[V any] struct {
	entries      map[Key]*entry[V]
	queue        queue[V]
	perPartition map[Digest]int // entries of a partition, without zeros
}

type entry[V any] struct {
	key   Key
	end   time.Duration // at which the entry no longer exists
	index int           // in the queue
	value V
}

func newExpiring[V any]() expiring[V] {
	return expiring[V]{entries: map[Key]*entry[V]{}, perPartition: map[Digest]int{}}
}

func (x *expiring[V]) len() int { return len(x.queue) }

// add adds a value under a key that has none.
func (x *expiring[V]) add(key Key, end time.Duration, value V) *entry[V] {
	e := &entry[V]{key: key, end: end, value: value}
	x.entries[key] = e
	x.perPartition[key.Partition]++
	heap.Push(&x.queue, e)
	return e
}

func (x *expiring[V]) move(e *entry[V], end time.Duration) {
	e.end = end
	heap.Fix(&x.queue, e.index)
}

func (x *expiring[V]) remove(e *entry[V]) {
	heap.Remove(&x.queue, e.index)
	delete(x.entries, e.key)
	if x.perPartition[e.key.Partition]--; x.perPartition[e.key.Partition] == 0 {
		delete(x.perPartition, e.key.Partition)
	}
}

// first returns the entry that expires next, or nil if there is none.
func (x *expiring[V]) first() *entry[V] {
	if len(x.queue) == 0 {
		return nil
	}
	return x.queue[0]
}

// expired returns an entry that has expired, or nil if there is none.
func (x *expiring[V]) expired(now time.Duration) *entry[V] {
	if e := x.first(); e != nil && e.end <= now {
		return e
	}
	return nil
}

// A queue is a heap of entries, ordered by expiry.
type queue[V any] []*entry[V]

// Len implements [heap.Interface].
func (q queue[V]) Len() int { return len(q) }

// Less implements [heap.Interface]: the entry that expires next is first.
func (q queue[V]) Less(i, j int) bool { return q[i].end < q[j].end }

// Swap implements [heap.Interface].
func (q queue[V]) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].index, q[j].index = i, j
}

// Push implements [heap.Interface].
func (q *queue[V]) Push(x any) {
	e, _ := x.(*entry[V]) // heap.Push gets nothing else
	e.index = len(*q)
	*q = append(*q, e)
}

// Pop implements [heap.Interface].
func (q *queue[V]) Pop() any {
	last := len(*q) - 1
	e := (*q)[last]
	(*q)[last] = nil // so that the array does not keep it alive
	*q = (*q)[:last]
	return e
}
