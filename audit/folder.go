package audit

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"
)

const (
	// logSuffix ends the name of every log in a folder.
	logSuffix = ".jsonl"
	// nameLayout begins the name, so that the names are in the order of time.
	nameLayout = "20060102T150405.000000Z"
	// folderMode is the mode of a new folder.
	folderMode fs.FileMode = 0o700
)

// OpenFolder starts a log for this process in a folder that other processes may
// write to as well. It creates a missing folder with mode 0700. A file's name
// has the time and the process ID, such as
// "20261124T115206.123456Z-4711.jsonl". Once a file has at least limit bytes,
// the sink continues in a new one; 0 means that only [FileSink.Rotate] starts a
// new file. Close removes a file without events.
//
// The first record of a file follows the last one of the file before it: that
// of the same sink, or else that of the newest file in the folder. That is how
// [VerifyFolder] finds missing files. Broken files, and other users' files,
// which cannot be read, are skipped. The first record also has the member logs.
// It names those of the newest 100 logs whose last record no file follows or
// names yet, each with the hash of that record. That ties every log that was
// open when the file began to it.
//
// Everything else is as [OpenFile] describes. Errors name the folder.
func OpenFolder(path string, limit int64) (*FileSink, error) {
	if limit < 0 {
		return nil, errors.New("audit: the limit of a file is negative; pass 0 for none")
	}
	if err := os.Mkdir(path, folderMode); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, openError(path, err)
	}
	names, err := logNames(path)
	if err != nil {
		return nil, openError(path, err)
	}
	head := genesis
	for i := len(names) - 1; i >= 0 && head == genesis; i-- {
		head = lastHash(filepath.Join(path, names[i]))
	}
	log, err := createIn(path, head)
	if err != nil {
		return nil, openError(path, err)
	}
	return (&FileSink{path: path, inFolder: true, limit: limit}).start(log), nil
}

// createIn creates the log of this process in a folder, whose first record will
// follow head.
func createIn(folder, head string) (fileLog, error) {
	name := time.Now().UTC().Format(nameLayout) + "-" + strconv.Itoa(os.Getpid()) + logSuffix
	logs := looseEnds(folder, head)
	log, err := openFileLog(filepath.Join(folder, name))
	if err == nil && log.size == 0 {
		log.head, log.logs = head, logs
	}
	return log, err
}

// maxEnds caps how many of the newest logs a new one looks at.
const maxEnds = 100

// logsStart begins the last member of an event that names other logs.
const logsStart = `,"logs":`

// looseEnds returns the member that names the logs whose last record no other
// log follows or names, except the one that ends with head. These are the logs
// that other processes have open, and those that ended after the log with head
// began. It is empty if there are none.
func looseEnds(folder, head string) string {
	names, err := logNames(folder)
	if err != nil {
		return "" // no log can be created there either
	}
	ends, tied := map[string]string{}, map[string]bool{genesis: true, head: true}
	for _, name := range names[max(0, len(names)-maxEnds):] {
		path := filepath.Join(folder, name)
		start, logs, err := startOf(path)
		if err != nil {
			continue // it belongs to another user
		}
		ends[name] = lastHash(path)
		tied[start] = true
		for _, last := range logs {
			tied[last] = true
		}
	}
	maps.DeleteFunc(ends, func(_, last string) bool { return tied[last] })
	if len(ends) == 0 {
		return ""
	}
	text, _ := json.Marshal(ends) //nolint:errchkjson // strings are always JSON
	return logsStart + string(text)
}

// logNames returns the names of the logs in a folder, in the order of names.
func logNames(folder string) ([]string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if e.Type().IsRegular() && filepath.Ext(e.Name()) == logSuffix {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// lastHash returns the hash of the last record of a log, or genesis if it has
// none, is broken or cannot be read.
func lastHash(path string) string {
	start, _, err := startOf(path)
	if err != nil {
		return genesis
	}
	file, err := os.Open(path)
	if err != nil {
		return genesis
	}
	defer file.Close() //nolint:errcheck // it was only read
	info, err := file.Stat()
	if err != nil {
		return genesis
	}
	tail, err := readTail(file, info.Size(), 2*maxRecord, start)
	if err != nil || tail.report.Records == 0 {
		return genesis
	}
	return tail.last
}

// startOf returns the hash that the first record of a log follows, or genesis
// if it has none, and the logs that the record names.
func startOf(path string) (start string, logs map[string]string, err error) {
	file, err := os.Open(path)
	if err != nil {
		return "", nil, err
	}
	defer file.Close() //nolint:errcheck // it was only read
	lines := newLineReader(file)
	for {
		line, _, err := lines.next()
		if err != nil { // VerifyFolder reads it again and reports it
			return genesis, nil, nil
		}
		if rec, ok := parseRecord(line); ok {
			_ = json.Unmarshal(rec.logs(), &logs) // a changed record has another hash
			return string(rec.prev), logs, nil
		}
	}
}

// A FileVerification is the result of [VerifyFolder] for one file.
type FileVerification struct {
	// Name is the name of the file in its folder.
	Name string
	// Report is the result of [Verify], except that the first record may follow
	// one of another file.
	Report Verification
	// Err is nil if the chain is unbroken. Otherwise it is a [*ChainError], or
	// the error from reading the file. If the record before the first one is in
	// no other file, the fault is "missing" on line 1. If no file has the head,
	// the newest file has the fault "cut".
	Err error
}

// String returns the report as one line for an operator.
func (f FileVerification) String() string {
	if f.Err != nil {
		return fmt.Sprintf("%s: %v; before it: %v", f.Name, f.Err, f.Report)
	}
	return fmt.Sprintf("%s: %v", f.Name, f.Report)
}

// VerifyFolder checks all logs in a folder, that is, the files whose names end
// in ".jsonl", in order of their names. The error is nil if all chains are
// unbroken. Otherwise it joins the files' errors, each with the file's name. A
// folder without a log is an error.
//
// A removed or cut file is noticed if another one continues or names it, up to
// the record whose hash the other one has. If the newest files are gone, or the
// newest records of several open ones, only their heads reveal it, as with
// [Verify]. A head covers the records of its own file before it, and those that
// the file continues or names. After you move old files away, pass the head of
// the newest of them, so that the oldest remaining file may continue it.
func VerifyFolder(path, head string) ([]FileVerification, error) {
	if err := checkHead(head); err != nil {
		return nil, err
	}
	names, err := logNames(path)
	switch {
	case err != nil:
		return nil, err
	case len(names) == 0:
		return nil, fmt.Errorf("audit: the folder %s has no audit log; name one with files that end in %s", strconv.Quote(path),
			logSuffix)
	}
	starts := make([]string, len(names))
	logs := make([]map[string]string, len(names))
	linked := map[string]bool{}
	for i, name := range names {
		if starts[i], logs[i], err = startOf(filepath.Join(path, name)); err != nil {
			return nil, err
		}
		for _, last := range logs[i] {
			linked[last] = last == head
		}
		linked[starts[i]] = starts[i] == head || starts[i] == genesis
	}
	files := make([]FileVerification, len(names))
	found := head == "" || head == genesis || linked[head]
	moved := linked[head] // the older files are elsewhere
	for i, name := range names {
		files[i] = verifyIn(path, name, starts[i], head, linked)
		found = found || files[i].Report.HeadLine > 0
		moved = moved && files[i].Report.HeadLine == 0
	}
	for i := range files {
		for name, last := range logs[i] {
			at, has := slices.BinarySearch(names, name)
			switch {
			case linked[last] || moved && name < names[0]:
			case has && files[at].Err == nil:
				files[at].Err = &ChainError{Line: files[at].Report.Records + files[at].Report.Torn, Fault: faultCut}
			case !has && files[i].Err == nil:
				files[i].Err = &ChainError{Line: 1, Fault: faultMissing}
			}
		}
	}
	var errs []error
	for i := range files {
		f := &files[i]
		switch {
		case f.Err != nil:
		case !linked[starts[i]]:
			f.Err = &ChainError{Line: 1, Fault: faultMissing}
		case !found && i == len(files)-1:
			f.Err = &ChainError{Line: f.Report.Records + f.Report.Torn, Fault: faultCut}
		}
		if f.Err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", f.Name, f.Err))
		}
	}
	return files, errors.Join(errs...)
}

// verifyIn checks one log of a folder. It marks the records that other files
// follow.
func verifyIn(folder, name, start, head string, linked map[string]bool) FileVerification {
	file, err := os.Open(filepath.Join(folder, name))
	if err != nil {
		return FileVerification{Name: name, Err: err}
	}
	defer file.Close() //nolint:errcheck // it was only read
	c := newChain(head, start)
	c.linked = linked
	report, err := c.verify(file)
	return FileVerification{Name: name, Report: report, Err: err}
}
