// Validates the contracts in tools/list, for each tier, and the outcomes of
// calls against the shipped schema, as @modelcontextprotocol/client receives
// them.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';

import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import Ajv2020 from 'ajv/dist/2020.js';

import { contractKey, outcomeKey } from './observed.mjs';
import { eras } from './play.mjs';
import { scenarios } from './scenarios.mjs';
import { program } from './server.mjs';

const { calls } = scenarios.find((scenario) => scenario.example === 'emails');
const schema = JSON.parse(readFileSync(path.resolve(import.meta.dirname, '../../contract/contract.schema.json'), 'utf8'));

// validator returns a function that validates a value against a part of the
// shipped schema.
function validator(ref) {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
  ajv.addSchema(schema, 'contract');
  return ajv.compile({ $ref: `contract${ref}` });
}

function assertValid(validate, value) {
  assert.ok(validate(value), JSON.stringify(validate.errors, null, 2));
}

async function withClient(mode, args, use) {
  const client = new Client({ name: 'clients', version: '1.0.0' }, { versionNegotiation: { mode } });
  await client.connect(new StdioClientTransport({ command: program('emails'), args: ['-names', 'dotted', ...args], stderr: 'ignore' }));
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}

test('a client that negotiates speaks the modern era', () => withClient('auto', [], (client) => {
  assert.equal(client.getProtocolEra(), 'modern');
}));

for (const [era, mode] of [['legacy', 'legacy'], ['modern', { pin: eras.modern }]]) {
  describe(`${era}: contracts`, () => {
    const list = (tier, use) => withClient(mode, ['-tier', tier], async (client) => {
      const { tools } = await client.listTools();
      assert.ok(tools.length > 0);
      return use(tools);
    });

    test('every contract validates and determines the hints', () => list('full', (tools) => {
      const validate = validator('');
      for (const tool of tools) {
        const published = tool._meta[contractKey];
        assertValid(validate, published);
        assert.equal(published.name, tool.name);
        assert.equal(published.inputSchema, undefined);
        for (const hint of ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint']) {
          assert.equal(typeof tool.annotations[hint], 'boolean', hint);
        }
        assert.equal(tool.annotations.readOnlyHint, published.effect === 'read-only');
      }
    }));

    test('an invalid contract does not validate', () => list('full', ([tool]) => {
      const validate = validator('');
      const published = tool._meta[contractKey];
      for (const broken of [{ ...published, risk: 'mild' }, { ...published, format: 'one' }, { ...published, permissions: 'all' }]) {
        assert.equal(validate(broken), false, JSON.stringify(broken));
      }
    }));

    test('the summary validates and is short', () => list('summary', (tools) => {
      const validate = validator('#/$defs/summary');
      let bytes = 0;
      for (const tool of tools) {
        const published = tool._meta[contractKey];
        assertValid(validate, published);
        bytes += Buffer.byteLength(JSON.stringify(published));
      }
      assert.ok(bytes <= 500 * tools.length, `${bytes} bytes for ${tools.length} tools`);
    }));

    test('the hints tier has no contract', () => list('hints', (tools) => {
      for (const tool of tools) {
        assert.equal(tool._meta?.[contractKey], undefined);
        assert.equal(typeof tool.annotations.destructiveHint, 'boolean');
      }
    }));

    test('every outcome validates', () => withClient(mode, [], async (client) => {
      const validate = validator('#/$defs/outcome');
      for (const c of calls) {
        const result = await client.callTool({ name: c.tool, arguments: c.arguments });
        assertValid(validate, result._meta[outcomeKey]);
      }
    }));
  });
}
