// What the two TypeScript SDKs have in common.

// sdkTransport returns the transport to a target, of the SDK's own classes.
export function sdkTransport({ StdioClientTransport, StreamableHTTPClientTransport }, { command, args, url, token }) {
  if (command) return new StdioClientTransport({ command, args, stderr: 'ignore' });
  const requestInit = token ? { headers: { Authorization: `Bearer ${token}` } } : {};
  return new StreamableHTTPClientTransport(new URL(url), { requestInit });
}

// sdkSession connects an SDK's client and returns the session that play wants.
export async function sdkSession(client, transport) {
  await client.connect(transport);
  const { tools } = await client.listTools();
  return {
    list: async () => tools,
    async call(name, args) {
      try {
        return { result: await client.callTool({ name, arguments: args }) };
      } catch ({ code, message, data }) {
        return { error: { code, message, data } };
      }
    },
    close: () => client.close(),
  };
}
