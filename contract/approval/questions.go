package approval

import (
	"slices"
	"sync"
)

// maxListed is the number of questions that the list has. A new one replaces
// the oldest.
const maxListed = 100

// questions holds the tokens of the questions that this process was asked,
// oldest first.
type questions struct {
	mu     sync.Mutex
	tokens []string
}

func newQuestions() *questions { return &questions{} }

// add reports whether the token is new.
func (q *questions) add(token string) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if slices.Contains(q.tokens, token) {
		return false
	}
	if len(q.tokens) == maxListed {
		q.tokens = slices.Delete(q.tokens, 0, 1)
	}
	q.tokens = append(q.tokens, token)
	return true
}

func (q *questions) has(token string) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.Contains(q.tokens, token)
}

func (q *questions) remove(token string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.tokens = slices.DeleteFunc(q.tokens, func(t string) bool { return t == token })
}

func (q *questions) all() []string {
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.Clone(q.tokens)
}
