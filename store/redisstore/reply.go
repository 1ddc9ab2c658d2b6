package redisstore

import "time"

// A reply reads the list that a script returned, element by element. If one
// does not have the requested form, the reply is malformed.
type reply struct {
	rest      []any
	malformed bool
}

func newReply(value any) *reply {
	list, ok := value.([]any)
	return &reply{rest: list, malformed: !ok}
}

func (r *reply) next() any {
	if len(r.rest) == 0 {
		r.malformed = true
		return nil
	}
	v := r.rest[0]
	r.rest = r.rest[1:]
	return v
}

func (r *reply) number() int64 {
	n, ok := r.next().(int64)
	r.malformed = r.malformed || !ok
	return n
}

// duration reads microseconds.
func (r *reply) duration() time.Duration { return time.Duration(r.number()) * time.Microsecond }

// bytes reads a string, or nil if there is none.
func (r *reply) bytes() []byte {
	v := r.next()
	if v == nil {
		return nil
	}
	text, ok := v.(string)
	r.malformed = r.malformed || !ok
	return []byte(text)
}

// fill reads a string of the length of dst into it. An empty string leaves dst
// unchanged.
func (r *reply) fill(dst []byte) {
	text, ok := r.next().(string)
	if !ok || len(text) != 0 && len(text) != len(dst) {
		r.malformed = true
		return
	}
	copy(dst, text)
}
