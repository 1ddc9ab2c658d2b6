package direct

import (
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/mcpgo/internal/native"
)

// This file repeats what HandleMessage does for requests of protocol version
// 2026-07-28, which have no handshake.

// protocolInfo returns the version, the client and the capabilities that a
// request declares in its _meta. It returns false for a request that mcp-go
// refuses.
func protocolInfo(meta *mcp.Meta) (info *server.RequestProtocolInfo, ok bool) {
	version := meta.ProtocolVersion()
	if !mcp.IsModernProtocol(version) {
		return &server.RequestProtocolInfo{ProtocolVersion: version}, true
	}
	info = &server.RequestProtocolInfo{
		Modern: true, ProtocolVersion: version, ClientInfo: meta.ClientInfo(), ClientCapabilities: meta.ClientCapabilities(),
		LogLevel: meta.LogLevel(),
	}
	return info, info.ClientCapabilities != nil && mcp.IsValidProtocolVersion(version)
}

// applyProtocolInfo sets on the session what a handshake would have set.
func applyProtocolInfo(session server.ClientSession, info *server.RequestProtocolInfo) {
	if !info.Modern {
		return
	}
	if known, ok := session.(server.SessionWithClientInfo); ok {
		if info.ClientInfo != nil {
			known.SetClientInfo(*info.ClientInfo)
		}
		known.SetClientCapabilities(*info.ClientCapabilities)
	}
	if !session.Initialized() {
		session.Initialize()
	}
}

// modernResult returns a result with the members that this version adds.
func modernResult(a *adapter.CallResult, info mcp.Implementation) *mcp.CallToolResult {
	result := native.Result(a)
	if result.ResultType == "" {
		result.ResultType = mcp.ResultTypeComplete
	}
	result.Meta.SetServerInfo(info)
	return result
}
