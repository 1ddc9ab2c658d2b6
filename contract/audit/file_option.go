package audit

import (
	"errors"
	"time"
)

// DefaultSyncInterval bounds the time until an event, other than an [Intent],
// is on the disk.
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

// WithSyncInterval bounds the time until an event, other than an [Intent], is
// on the disk. Until then a crash of the machine loses it; a crash of the
// process does not. Default: [DefaultSyncInterval]. Zero syncs every event
// before Write returns nil. A negative duration is an error.
func WithSyncInterval(d time.Duration) FileOption {
	return fileOptionFunc(func(c *fileConfig) error {
		if d < 0 {
			return errors.New("audit: WithSyncInterval: the duration is negative")
		}
		c.syncInterval = d
		return nil
	})
}
