package audit

// A LogFile is what a FileSink writes to.
type LogFile = logFile

// StartFileSink starts a sink over an empty file that a test made, to let it fail.
func StartFileSink(file LogFile, opts ...FileOption) (*FileSink, error) {
	config, err := newFileConfig(opts)
	if err != nil {
		return nil, err
	}
	return startFileSink(fileLog{file: file, head: Genesis}, config), nil
}
