package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/toolcontract/toolcontract/agent/client"
	"github.com/toolcontract/toolcontract/gateway"
)

// servers are the servers behind the gateway, and the folder with their files.
type servers struct {
	folder  string
	program string // this program
	weather string // the address of the weather server
	stop    func() error
}

// startServers starts the weather server, unless its address is given. The
// gateway starts the others.
func startServers(ctx context.Context, weather string) (*servers, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "gateway")
	if err != nil {
		return nil, err
	}
	s := &servers{folder: folder, program: program, weather: weather, stop: func() error { return nil }}
	if err := declareNotes(s.notes(), "destructive"); err != nil {
		return nil, errors.Join(err, s.close())
	}
	if weather == "" {
		if err := s.startWeather(ctx); err != nil {
			return nil, errors.Join(err, s.close())
		}
	}
	return s, nil
}

// notes returns the file with the tools of the notes server.
func (s *servers) notes() string { return filepath.Join(s.folder, "notes.json") }

// state returns the file with what the catalogue has seen.
func (s *servers) state() string { return filepath.Join(s.folder, "state.json") }

func (s *servers) close() error { return errors.Join(s.stop(), os.RemoveAll(s.folder)) }

// upstreams returns new clients of the servers. Two of them are processes that
// their clients start, and start again.
func (s *servers) upstreams() []gateway.Upstream {
	child := func(r role) *client.Client {
		return client.New(client.Command{Path: s.program, Env: []string{roleEnv + "=" + string(r), factsEnv + "=" + s.notes()}})
	}
	return []gateway.Upstream{
		{Name: "emails", Client: child(emailsRole), Own: true},
		{Name: "notes", Client: child(notesRole)},
		{Name: "weather", Client: client.New(client.HTTP{URL: s.weather})},
	}
}

const weatherHelp = "run the example in a clone of the repository, or pass the address of a running weather server with -weather"

// startWeather builds the server of the official SDK, which is a program of its
// own, and starts it.
func (s *servers) startWeather(ctx context.Context) error {
	binary := filepath.Join(s.folder, "weather")
	const weather = "github.com/toolcontract/toolcontract/examples/gosdk/weather"
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", binary, weather).CombinedOutput(); err != nil {
		return fmt.Errorf("gateway: the weather server cannot be built: %w: %s; %s", err, out, weatherHelp)
	}
	process := exec.CommandContext(ctx, binary, "-http", "127.0.0.1:0")
	stderr, err := process.StderrPipe()
	if err != nil {
		return err
	}
	if err := process.Start(); err != nil {
		return err
	}
	s.stop = func() error {
		_ = process.Process.Kill() // it has no state to lose
		_ = process.Wait()
		return nil
	}
	line, err := bufio.NewReader(stderr).ReadString('\n')
	address, found := strings.CutPrefix(strings.TrimSpace(line), "listening on ")
	if err != nil || !found {
		return fmt.Errorf("gateway: the weather server did not start: %s", line)
	}
	s.weather = address
	return nil
}
