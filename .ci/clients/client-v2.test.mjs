import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import assert from 'node:assert/strict';

import { eras, installed, play } from './play.mjs';
import { sdkSession, sdkTransport } from './sdk.mjs';

const name = '@modelcontextprotocol/client';

play({
  name,
  version: installed(name),
  eras: ['legacy', 'modern'],
  async connect(era, target) {
    const client = new Client({ name: 'clients', version: '1.0.0' }, { versionNegotiation: { mode: era === 'legacy' ? era : { pin: eras[era] } } });
    const session = await sdkSession(client, sdkTransport({ StdioClientTransport, StreamableHTTPClientTransport }, target));
    assert.equal(client.getProtocolEra(), era);
    return session;
  },
});
