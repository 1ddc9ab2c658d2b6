package store

import "log/slog"

// DefaultMaxBytes is the bound of a Memory without options.
const DefaultMaxBytes = defaultMaxBytes

// WithLogger sets the logger of the line that a Memory writes when it is nearly
// full.
func WithLogger(l *slog.Logger) MemoryOption {
	return memoryOptionFunc(func(m *Memory) error {
		m.warning.logger = l
		return nil
	})
}
