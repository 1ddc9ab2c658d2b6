package audit

import (
	"errors"
	"time"
)

// DefaultSyncInterval is how long an event other than an [Intent] may be in the operating system's memory
// only, before it is on the disk.
const DefaultSyncInterval = time.Second

// A FileOption configures a [FileSink].
type FileOption interface{ apply(*fileConfig) error }

type fileConfig struct{ syncInterval time.Duration }

func newFileConfig(opts []FileOption) (fileConfig, error) {
	config := fileConfig{syncInterval: DefaultSyncInterval}
	for _, opt := range opts {
		if opt == nil {
			return config, errors.New("audit: OpenFile: an option is nil")
		}
		if err := opt.apply(&config); err != nil {
			return config, err
		}
	}
	return config, nil
}

type fileOptionFunc func(*fileConfig) error

func (f fileOptionFunc) apply(c *fileConfig) error { return f(c) }

// WithSyncInterval sets how long an event other than an [Intent] may be in the operating system's memory
// only, where a crash of the machine, though not of the process, loses it. Default:
// [DefaultSyncInterval]. Zero means that every event is on the disk before Write returns nil. A negative
// one is an error.
func WithSyncInterval(d time.Duration) FileOption {
	return fileOptionFunc(func(c *fileConfig) error {
		if d < 0 {
			return errors.New("audit: WithSyncInterval: the duration is negative")
		}
		c.syncInterval = d
		return nil
	})
}
