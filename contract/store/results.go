package store

import "container/list"

// results are the results that take room in a [Memory], in the order of their
// age: all of them, and those of each partition.
type results struct {
	bytes       int64
	all         *list.List
	byPartition map[Digest]*list.List
}

// A place is the position of a record's result in both orders. The zero place
// means that the record has no result that takes room.
type place struct{ inAll, inPartition *list.Element }

func newResults() results { return results{all: list.New(), byPartition: map[Digest]*list.List{}} }

func resultSize(result []byte) int64 {
	if len(result) == 0 {
		return 0
	}
	return int64(len(result)) + resultBytes
}

// add gives a record its result, which is the newest. An empty result takes no
// room.
func (r *results) add(e *entry[memoryRecord], result []byte) {
	e.value.result = result
	if len(result) == 0 {
		return
	}
	own := r.byPartition[e.key.Partition]
	if own == nil {
		own = list.New()
		r.byPartition[e.key.Partition] = own
	}
	e.value.place = place{inAll: r.all.PushBack(e), inPartition: own.PushBack(e)}
	r.bytes += resultSize(result)
}

// remove removes the result of a record.
func (r *results) remove(e *entry[memoryRecord]) {
	if e.value.place.inAll != nil {
		own := r.byPartition[e.key.Partition]
		r.all.Remove(e.value.place.inAll)
		own.Remove(e.value.place.inPartition)
		if own.Len() == 0 {
			delete(r.byPartition, e.key.Partition)
		}
		r.bytes -= resultSize(e.value.result)
		e.value.place = place{}
	}
	e.value.result = nil
}

// oldest returns the record with the oldest result of a partition, or of all
// partitions if this one has none.
func (r *results) oldest(partition Digest) *entry[memoryRecord] {
	of := r.all
	if own := r.byPartition[partition]; own != nil {
		of = own
	}
	if of.Len() == 0 {
		return nil
	}
	e, _ := of.Front().Value.(*entry[memoryRecord]) // the lists hold nothing else
	return e
}
