package store

import "container/list"

// bodies are the results that take room, the oldest first: all of them, and those of each partition.
type bodies struct {
	bytes       int64
	all         *list.List
	byPartition map[Digest]*list.List
}

// body is the place of a record's result among the others; the zero body has none.
type body struct{ inAll, inPartition *list.Element }

func newBodies() bodies { return bodies{all: list.New(), byPartition: map[Digest]*list.List{}} }

func bodySize(result []byte) int64 {
	if len(result) == 0 {
		return 0
	}
	return int64(len(result)) + bodyBytes
}

// add gives a record its result, which is the newest. An empty one takes no room.
func (b *bodies) add(e *entry[memoryRecord], result []byte) {
	e.value.result = result
	if len(result) == 0 {
		return
	}
	own := b.byPartition[e.key.Partition]
	if own == nil {
		own = list.New()
		b.byPartition[e.key.Partition] = own
	}
	e.value.body = body{inAll: b.all.PushBack(e), inPartition: own.PushBack(e)}
	b.bytes += bodySize(result)
}

// remove takes the result from a record.
func (b *bodies) remove(e *entry[memoryRecord]) {
	if e.value.body.inAll != nil {
		own := b.byPartition[e.key.Partition]
		b.all.Remove(e.value.body.inAll)
		own.Remove(e.value.body.inPartition)
		if own.Len() == 0 {
			delete(b.byPartition, e.key.Partition)
		}
		b.bytes -= bodySize(e.value.result)
		e.value.body = body{}
	}
	e.value.result = nil
}

// oldest returns the record with the oldest result of a partition, where it has none that of all.
func (b *bodies) oldest(partition Digest) *entry[memoryRecord] {
	of := b.all
	if own := b.byPartition[partition]; own != nil {
		of = own
	}
	if of.Len() == 0 {
		return nil
	}
	e, _ := of.Front().Value.(*entry[memoryRecord]) // the lists have no other
	return e
}

// makeRoom makes room for new entries and for a result of a size, on behalf of a partition, and reports
// whether there is. Where there is none, nothing went but what had expired.
func (m *Memory) makeRoom(entries int, size int64, partition Digest) bool {
	count := func() int { return m.records.len() + m.nonces.len() + entries }
	need := func() int64 { return int64(count())*entryBytes + size }
	for count() > m.maxEntries || need()+m.bodies.bytes > m.maxBytes {
		if !m.forgetExpired() {
			break
		}
	}
	if count() > m.maxEntries || need() > m.maxBytes {
		return false // and would be without any result
	}
	for need()+m.bodies.bytes > m.maxBytes {
		m.bodies.remove(m.bodies.oldest(partition))
	}
	return true
}

// forgetExpired removes a record and a nonce that have expired, and reports whether there was one.
func (m *Memory) forgetExpired() bool {
	r, n := m.records.expired(m.now), m.nonces.expired(m.now)
	if r != nil {
		m.forget(r)
	}
	if n != nil {
		m.nonces.remove(n)
	}
	return r != nil || n != nil
}
