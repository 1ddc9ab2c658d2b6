package store

import "container/heap"

// results has the results that take room in a [Memory], by partition and within
// a partition by age.
type results struct {
	bytes       int64
	byPartition map[Digest]*share
	largest     shares
}

// A share is the results of one partition. It is never empty.
type share struct {
	bytes          int64
	oldest, newest *entry[memoryRecord]
	index          int // in the heap
}

// A place is the position of a record's result in a share, between the next
// older and the next newer one. The zero place means that the record has no
// result that takes room.
type place struct {
	in           *share
	older, newer *entry[memoryRecord]
}

func newResults() results { return results{byPartition: map[Digest]*share{}} }

func resultSize(result []byte) int64 {
	if len(result) == 0 {
		return 0
	}
	return int64(len(result)) + resultBytes
}

// add sets a record's result and makes it the newest. An empty result takes no
// room.
func (r *results) add(e *entry[memoryRecord], result []byte) {
	e.value.result = result
	if len(result) == 0 {
		return
	}
	own := r.byPartition[e.key.Partition]
	if own == nil {
		own = &share{oldest: e}
		r.byPartition[e.key.Partition] = own
		heap.Push(&r.largest, own)
	} else {
		own.newest.value.place.newer = e
	}
	e.value.place = place{in: own, older: own.newest}
	own.newest = e
	r.grow(own, resultSize(result))
}

func (r *results) remove(e *entry[memoryRecord]) {
	if at := e.value.place; at.in != nil {
		at.leave()
		r.grow(at.in, -resultSize(e.value.result))
		if at.in.oldest == nil {
			heap.Remove(&r.largest, at.in.index)
			delete(r.byPartition, e.key.Partition)
		}
		e.value.place = place{}
	}
	e.value.result = nil
}

// leave unlinks a result from its share.
func (p place) leave() {
	if p.older != nil {
		p.older.value.place.newer = p.newer
	} else {
		p.in.oldest = p.newer
	}
	if p.newer != nil {
		p.newer.value.place.older = p.older
	} else {
		p.in.newest = p.older
	}
}

func (r *results) grow(s *share, by int64) {
	r.bytes += by
	s.bytes += by
	heap.Fix(&r.largest, s.index)
}

// next returns the record whose result to drop so that a new result of a
// partition fits: the oldest one of the partition with the most bytes, counting
// the new result. It returns nil if there is no result.
func (r *results) next(partition Digest, size int64) *entry[memoryRecord] {
	if len(r.largest) == 0 {
		return nil
	}
	from := r.largest[0]
	if own := r.byPartition[partition]; own != nil && own.bytes+size >= from.bytes {
		from = own
	}
	return from.oldest
}

// shares is a heap of shares.
type shares []*share //nolint:recvcheck // only Push and Pop change the length

// Len implements [heap.Interface].
func (s shares) Len() int { return len(s) }

// Less implements [heap.Interface]: the largest share is first.
func (s shares) Less(i, j int) bool { return s[i].bytes > s[j].bytes }

// Swap implements [heap.Interface].
func (s shares) Swap(i, j int) {
	s[i], s[j] = s[j], s[i]
	s[i].index, s[j].index = i, j
}

// Push implements [heap.Interface].
func (s *shares) Push(x any) {
	one, _ := x.(*share) // heap.Push gets nothing else
	one.index = len(*s)
	*s = append(*s, one)
}

// Pop implements [heap.Interface].
func (s *shares) Pop() any {
	last := len(*s) - 1
	one := (*s)[last]
	(*s)[last] = nil // so that the array does not keep it alive
	*s = (*s)[:last]
	return one
}
