package redisstore

import (
	"errors"
	"fmt"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/toolcontract/toolcontract/store"
)

// failure returns the error of an operation. It keeps only the first word of a
// server's error, its code, because the rest may repeat keys and arguments.
func failure(err error) error {
	var answer redis.Error
	switch {
	case errors.As(err, &answer) && strings.Contains(answer.Error(), "OOM command not allowed"):
		return store.ErrFull
	case answer != nil:
		return fmt.Errorf("redisstore: the server answered %s", code(answer.Error()))
	default:
		return fmt.Errorf("redisstore: %w", err)
	}
}

func code(answer string) string {
	word, _, _ := strings.Cut(answer, " ")
	if word == "" || strings.Trim(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		return "an error without a code"
	}
	return word
}

// errReply means that a reply does not have the form that the scripts return:
// the server is not Redis, or something in between changes its replies.
var errReply = errors.New("redisstore: the reply is malformed")
