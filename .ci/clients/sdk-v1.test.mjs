import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';

import { confirm } from './confirm.mjs';
import { installed, play } from './play.mjs';
import { sdkSession, sdkTransport } from './sdk.mjs';

const name = '@modelcontextprotocol/sdk';

const driver = {
  name,
  version: installed(name),
  eras: ['legacy'],
  connect(_, target, { capabilities = {}, answer } = {}) {
    const client = new Client({ name: 'clients', version: '1.0.0' }, { capabilities });
    if (capabilities.elicitation) client.setRequestHandler(ElicitRequestSchema, ({ params }) => answer(params));
    return sdkSession(client, sdkTransport({ StdioClientTransport, StreamableHTTPClientTransport }, target));
  },
};

play(driver);
confirm(driver);
