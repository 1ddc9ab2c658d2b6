import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

import { installed, play } from './play.mjs';
import { sdkSession, sdkTransport } from './sdk.mjs';

const name = '@modelcontextprotocol/sdk';

play({
  name,
  version: installed(name),
  eras: ['legacy'],
  connect(_, target) {
    return sdkSession(new Client({ name: 'clients', version: '1.0.0' }), sdkTransport({ StdioClientTransport, StreamableHTTPClientTransport }, target));
  },
});
