package redisstore

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
)

// WithLogger sends what go-redis logs, such as a connection that failed, to
// logger at the level Warn. go-redis has one logger per process, so the last
// store with this option decides for all clients of the process. A nil logger
// is an error. Default: go-redis writes its own lines to stderr.
func WithLogger(logger *slog.Logger) Option {
	return optionFunc(func(s *operations) error {
		if logger == nil {
			return errors.New("redisstore: WithLogger: the logger is nil")
		}
		s.logger = logger
		return nil
	})
}

// A driverLog is the logger for go-redis.
type driverLog struct{ logger *slog.Logger }

// Printf logs one line of go-redis. Some lines already start with its name.
func (d driverLog) Printf(ctx context.Context, format string, v ...any) {
	line := strings.TrimSpace(fmt.Sprintf(format, v...))
	d.logger.WarnContext(ctx, "redis: "+strings.TrimPrefix(line, "redis: "))
}
