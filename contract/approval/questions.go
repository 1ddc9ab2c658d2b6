package approval

import (
	"slices"
	"sync"
)

// maxListed is how many questions the list has; of more the newest.
const maxListed = 100

// questions are the tokens that this process was told of, oldest first.
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
