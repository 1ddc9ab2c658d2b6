package audit_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/risk"
)

func ExampleOpenFile() {
	folder, err := os.MkdirTemp("", "audit")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "audit.jsonl")

	sink, err := audit.OpenFile(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, kind := range []audit.Kind{audit.Intent, audit.Terminal} {
		err := sink.Write(context.Background(), audit.Event{
			Time: time.Date(2026, 11, 21, 1, 40, 0, 0, time.UTC), Kind: kind, CallID: "c1",
			Tool: "emails.send_external", Risk: risk.Critical, Principal: "bob",
		})
		if err != nil {
			fmt.Println(err)
			return
		}
	}
	if err := sink.Close(); err != nil {
		fmt.Println(err)
		return
	}

	text, err := os.ReadFile(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(string(text))
	// Output:
	// {"time":"2026-11-21T01:40:00Z","event":"intent","callId":"c1","tool":"emails.send_external","risk":"critical","principal":"bob","agent":false,"prev":"0000000000000000000000000000000000000000000000000000000000000000","hash":"38318b0800260e0049f8667880603470ad4c8749775be249401b4f405e3412b9"}
	// {"time":"2026-11-21T01:40:00Z","event":"terminal","callId":"c1","tool":"emails.send_external","risk":"critical","principal":"bob","agent":false,"durationMs":0,"prev":"38318b0800260e0049f8667880603470ad4c8749775be249401b4f405e3412b9","hash":"7ecaf71c169705b8b1e705f5dbcff47006e1340da6e5fbabe7feb11b0bdaf980"}
}

func ExampleVerify() {
	const line = `{"time":"2026-11-21T01:40:00Z","event":"intent","callId":"c1","agent":false,` +
		`"prev":"0000000000000000000000000000000000000000000000000000000000000000",` +
		`"hash":"9b8e5bbe23b9251fa11ecb5b5e9959286c3ce20c08b7b70b3882dcb36ec9d6c5"}` + "\n"

	report, err := audit.Verify(strings.NewReader(line), "")
	fmt.Println(report.Records, report.Last[:8], err)

	_, err = audit.Verify(strings.NewReader(strings.Replace(line, "c1", "c2", 1)), "")
	fmt.Println(err)
	if broken, ok := errors.AsType[*audit.ChainError](err); ok {
		fmt.Println(broken.Line, broken.Fault)
	}

	// The only record was removed. Without a head this cannot be detected.
	_, err = audit.Verify(strings.NewReader(""), "")
	fmt.Println(err)
	_, err = audit.Verify(strings.NewReader(""), report.Last)
	fmt.Println(err)
	// Output:
	// 1 9b8e5bbe <nil>
	// audit: line 1: the record was changed
	// 1 changed
	// <nil>
	// audit: the log ends after line 0 without the head: records are missing
}

func ExampleFileSink_Head() {
	folder, err := os.MkdirTemp("", "audit")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	sink, err := audit.OpenFile(filepath.Join(folder, "audit.jsonl"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer sink.Close()
	fmt.Println(sink.Head() == strings.Repeat("0", 64))

	err = sink.Write(context.Background(), audit.Event{
		Time: time.Date(2026, 11, 21, 1, 40, 0, 0, time.UTC), Kind: audit.Intent, CallID: "c1",
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(sink.Head()) // store it where this server cannot write
	// Output:
	// true
	// 9b8e5bbe23b9251fa11ecb5b5e9959286c3ce20c08b7b70b3882dcb36ec9d6c5
}

// The logs of two processes in one folder. The second continues the first.
func ExampleOpenFolder() {
	folder, err := os.MkdirTemp("", "audit")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	for range 2 {
		sink, err := audit.OpenFolder(folder, 100<<20)
		if err != nil {
			fmt.Println(err)
			return
		}
		err = sink.Write(context.Background(), audit.Event{
			Time: time.Date(2026, 11, 21, 1, 40, 0, 0, time.UTC), Kind: audit.Intent, CallID: "c1",
		})
		if err := errors.Join(err, sink.Close()); err != nil {
			fmt.Println(err)
			return
		}
	}
	files, err := audit.VerifyFolder(folder, "")
	fmt.Println(len(files), err)
	if err := os.Remove(filepath.Join(folder, files[0].Name)); err != nil {
		fmt.Println(err)
		return
	}
	files, _ = audit.VerifyFolder(folder, "")
	fmt.Println(files[0].Err)
	// Output:
	// 2 <nil>
	// audit: line 1: records before it are missing
}
