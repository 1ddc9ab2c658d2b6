package audit

// A LogFile is the file of a FileSink.
type LogFile = logFile

// The limits of a log, and the reasons of errors.
const (
	Genesis      = genesis
	MaxRecord    = maxRecord
	SyncInterval = syncInterval
)

var (
	ErrNotRegular    = errNotRegular
	ErrTooLong       = errTooLong
	ErrLevelDisabled = errLevelDisabled
)

// A FileError is an error of a log file.
type FileError = fileError

// StartFileSink starts a sink on an empty file of a test, which can fail.
func StartFileSink(file LogFile) *FileSink {
	return (&FileSink{path: "audit.jsonl"}).start(fileLog{file: file, head: Genesis})
}
