// Functions for both TypeScript SDKs.

// sdkTransport returns the transport to a target, made from classes of the SDK.
export function sdkTransport({ StdioClientTransport, StreamableHTTPClientTransport }, { command, args, url, token }) {
  if (command) return new StdioClientTransport({ command, args, stderr: 'ignore' });
  const requestInit = token ? { headers: { Authorization: `Bearer ${token}` } } : {};
  return new StreamableHTTPClientTransport(new URL(url), { requestInit });
}

// sdkSession connects a client of an SDK and returns a session for play.mjs.
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
