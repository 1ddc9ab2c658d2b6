package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
)

// An httpClient sends the same call again and again over one connection. It
// does as little as it can, because it shares the processors with the server.
type httpClient struct {
	net.Conn

	request []byte
	answer  *bufio.Reader
	body    []byte
}

// connect opens the connections of n clients and checks one answer. Callers
// must close the clients, even after an error.
func connect(to net.Addr, n int) ([]*httpClient, error) {
	body := message(validArguments)
	request := fmt.Appendf(nil, "POST /mcp HTTP/1.1\r\nHost: %s\r\nUser-Agent: bench\r\nContent-Type: application/json\r\n"+
		"Accept: application/json, text/event-stream\r\nAuthorization: Bearer bench\r\nContent-Length: %d\r\n\r\n%s", to,
		len(body), body)
	clients := make([]*httpClient, 0, n)
	for range n {
		conn, err := net.Dial(to.Network(), to.String())
		if err != nil {
			return clients, err
		}
		clients = append(clients, &httpClient{Conn: conn, request: request, answer: bufio.NewReader(conn)})
	}
	if err := clients[0].call(); err != nil {
		return clients, err
	}
	return clients, checkOrder(clients[0].body)
}

var (
	statusOK      = []byte("HTTP/1.1 200 ")
	contentLength = []byte("Content-Length: ")
	wantMember    = fmt.Appendf(nil, `"total":%v`, wantTotal)
)

// call sends the call, and checks the status and the total of its answer.
func (c *httpClient) call() error {
	if _, err := c.Write(c.request); err != nil {
		return err
	}
	status, err := c.answer.ReadSlice('\n')
	if err != nil || !bytes.HasPrefix(status, statusOK) {
		return errors.Join(err, fmt.Errorf("status: %q", status))
	}
	length := -1
	for line := status; len(line) > len("\r\n"); {
		if line, err = c.answer.ReadSlice('\n'); err != nil {
			return err
		}
		if sent, found := bytes.CutPrefix(line, contentLength); found {
			length, _ = strconv.Atoi(string(bytes.TrimSpace(sent))) // an invalid length is 0, and fails below
		}
	}
	if length < 0 {
		return errors.New("the answer has no Content-Length")
	}
	c.body = append(c.body[:0], make([]byte, length)...)
	if _, err := io.ReadFull(c.answer, c.body); err != nil {
		return err
	}
	if !bytes.Contains(c.body, wantMember) {
		return fmt.Errorf("wrong answer: %.300s", c.body)
	}
	return nil
}
