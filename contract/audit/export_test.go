package audit

// A LogFile is the file of a FileSink.
type LogFile = logFile

// StartFileSink starts a sink on an empty file of a test, which can fail.
func StartFileSink(file LogFile, opts ...FileOption) (*FileSink, error) {
	config, err := newFileConfig(opts)
	if err != nil {
		return nil, err
	}
	return startFileSink("audit.jsonl", fileLog{file: file, head: Genesis}, config), nil
}
