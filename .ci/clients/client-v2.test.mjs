import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import assert from 'node:assert/strict';

import { confirm } from './confirm.mjs';
import { eras, installed, play } from './play.mjs';
import { sdkSession, sdkTransport } from './sdk.mjs';

const name = '@modelcontextprotocol/client';

const driver = {
  name,
  version: installed(name),
  eras: ['legacy', 'modern'],
  async connect(era, target, { capabilities = {}, answer } = {}) {
    const mode = era === 'legacy' ? era : { pin: eras[era] };
    const client = new Client({ name: 'clients', version: '1.0.0' }, { capabilities, versionNegotiation: { mode } });
    if (capabilities.elicitation) client.setRequestHandler('elicitation/create', ({ params }) => answer(params));
    const session = await sdkSession(client, sdkTransport({ StdioClientTransport, StreamableHTTPClientTransport }, target));
    assert.equal(client.getProtocolEra(), era);
    return session;
  },
};

play(driver);
confirm(driver);
