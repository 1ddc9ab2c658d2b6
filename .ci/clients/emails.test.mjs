// Drives examples/emails as @modelcontextprotocol/client sees it: over stdio
// and HTTP, on both protocol eras.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import readline from 'node:readline';
import { after, before, describe, test } from 'node:test';

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import Ajv2020 from 'ajv/dist/2020.js';

const root = path.resolve(import.meta.dirname, '../..');
const contractKey = 'io.github.toolcontract/contract';
const outcomeKey = 'io.github.toolcontract/outcome';
const eras = [
  { era: 'legacy', mode: 'legacy' },
  { era: 'modern', mode: { pin: '2026-07-28' } },
];
const everything = ['contacts.search', 'emails.create_draft', 'emails.send_external'];
const lunch = { to: ['anna@example.com'], subject: 'Lunch', body: 'Noon?', attachments: ['f_menu'], projectId: 'p_1' };

const dir = mkdtempSync(path.join(tmpdir(), 'toolcontract-clients-'));
const binary = path.join(dir, 'emails');
const running = [];

before(() => {
  execFileSync('go', ['build', '-o', binary, './examples/emails'], { cwd: root, stdio: 'inherit' });
});
after(() => {
  for (const child of running) child.kill('SIGKILL');
  rmSync(dir, { recursive: true, force: true });
});

// serve starts the server over HTTP and returns its address, and what ends it.
async function serve(...args) {
  const child = spawn(binary, ['-http', '127.0.0.1:0', ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
  running.push(child);
  const exited = new Promise((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })));
  const url = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', () => reject(new Error('the server ended before it listened')));
    readline.createInterface({ input: child.stderr }).on('line', (line) => {
      const found = line.match(/^listening on (http:\S+)$/);
      if (found) resolve(found[1]);
    });
  });
  return {
    url,
    stop() {
      child.kill('SIGTERM');
      return exited;
    },
  };
}

function overHTTP(url, token) {
  const requestInit = token ? { headers: { Authorization: `Bearer ${token}` } } : {};
  return new StreamableHTTPClientTransport(new URL(url), { requestInit });
}

function overStdio(...args) {
  return new StdioClientTransport({ command: binary, args, stderr: 'ignore' });
}

async function withClient(transport, mode, use) {
  const client = new Client({ name: 'clients', version: '1.0.0' }, { versionNegotiation: { mode } });
  await client.connect(transport);
  try {
    assert.equal(client.getProtocolEra(), mode === 'legacy' ? 'legacy' : 'modern');
    return await use(client);
  } finally {
    await client.close();
  }
}

async function names(client) {
  return (await client.listTools()).tools.map((tool) => tool.name);
}

// call returns the result with its outcome, and checks what every result has.
async function call(client, name, args) {
  const result = await client.callTool({ name, arguments: args });
  const outcome = result._meta?.[outcomeKey];
  assertValid(validator('#/$defs/outcome'), outcome);
  assert.ok(outcome.callId);
  assert.equal(result.isError ?? false, outcome.status === 'error');
  assert.equal(result.content[0].text.startsWith('[FATAL] '), outcome.class === 'fatal');
  return { result, outcome };
}

// refusal returns the protocol error of a tool that is not there, without its name.
async function refusal(client, name) {
  let thrown;
  await assert.rejects(client.callTool({ name, arguments: {} }), (error) => {
    thrown = error;
    return true;
  });
  return { code: thrown.code, message: thrown.message.replaceAll(name, 'NAME'), data: thrown.data };
}

// validator returns what checks a value against a part of the shipped schema.
function validator(ref) {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
  ajv.addSchema(JSON.parse(readFileSync(path.join(root, 'contract/contract.schema.json'), 'utf8')), 'contract');
  return ajv.compile({ $ref: `contract${ref}` });
}

function assertValid(validate, value) {
  assert.ok(validate(value), JSON.stringify(validate.errors, null, 2));
}

// The calls that a caller who may use everything makes on any transport.
const calls = [
  { title: 'a search', tool: 'contacts.search', args: { query: 'anna' }, structured: { contacts: [{ id: 'c_anna', name: 'Anna Keller', email: 'anna@example.com' }] } },
  { title: 'a draft', tool: 'emails.create_draft', args: lunch },
  { title: 'a draft with mistakes', tool: 'emails.create_draft', args: { to: [], subject: 7, bdy: 'x' }, code: 'invalid_input', class: 'retryable', pointers: ['/bdy', '/body', '/subject', '/to'] },
  { title: 'a recipient that the relay refuses', tool: 'emails.create_draft', args: { ...lunch, to: ['x@invalid.example'] }, code: 'invalid_recipient', class: 'retryable', pointers: ['/to/0'] },
  { title: 'a huge attachment', tool: 'emails.create_draft', args: { ...lunch, attachments: ['f_huge'] }, code: 'attachment_too_large', class: 'retryable', pointers: ['/attachments/0'] },
  { title: 'a subject against the policy', tool: 'emails.create_draft', args: { ...lunch, subject: '[policy]' }, code: 'policy_violation', class: 'fatal' },
  { title: 'the relay is down', tool: 'emails.create_draft', args: { ...lunch, subject: '[relay-down]' }, code: 'relay_down', class: 'fatal' },
  { title: 'a sending, which nobody can confirm', tool: 'emails.send_external', args: lunch, code: 'confirmation_required', class: 'fatal' },
];

async function checkCall(client, c) {
  const { result, outcome } = await call(client, c.tool, c.args);
  assert.equal(outcome.code, c.code);
  assert.equal(outcome.class, c.class);
  assert.deepEqual(outcome.violations?.map((v) => v.pointer), c.pointers);
  if (c.code) {
    assert.equal(result.structuredContent, undefined);
    assert.ok(result.content[0].text.includes(`${c.code}: `));
  } else {
    assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent);
    if (c.structured) assert.deepEqual(result.structuredContent, c.structured);
  }
}

test('a client that finds out by itself speaks the modern era', () => withClient(overStdio(), 'auto', async (client) => {
  assert.deepEqual(await names(client), everything);
}));

for (const { era, mode } of eras) {
  describe(`${era} over HTTP`, () => {
    let server;
    before(async () => {
      server = await serve();
    });
    after(async () => {
      assert.deepEqual(await server.stop(), { code: 0, signal: null });
    });
    const as = (token, use) => withClient(overHTTP(server.url, token), mode, use);

    for (const [caller, want] of [['alice', everything], ['alice-mfa', everything], ['bob', ['contacts.search']], ['mallory', []], ['', []]]) {
      test(`${caller || 'anonymous'} sees what it may use`, () => as(caller, async (client) => {
        assert.deepEqual(await names(client), want);
      }));
    }

    for (const c of calls) {
      test(`alice: ${c.title}`, () => as('alice', async (client) => {
        await client.listTools(); // from here on the client checks results against output schemas
        await checkCall(client, c);
      }));
    }

    for (const [caller, tool, code] of [
      ['bob', 'emails.create_draft', 'permission_denied'],
      ['bob', 'emails.send_external', 'permission_denied'],
      ['', 'contacts.search', 'unauthenticated'],
      ['mallory', 'contacts.search', 'unauthenticated'],
    ]) {
      test(`${caller || 'anonymous'}: ${tool} is ${code}, whatever the arguments`, () => as(caller, async (client) => {
        const { outcome } = await call(client, tool, {});
        assert.equal(outcome.code, code);
        assert.equal(outcome.class, 'fatal');
        assert.equal(outcome.violations, undefined);
      }));
    }

    test('bob: a search', () => as('bob', (client) => checkCall(client, calls[0])));

    for (const caller of ['alice', 'auditor', '']) {
      test(`${caller || 'anonymous'}: the forbidden tool answers as an unknown name`, () => as(caller, async (client) => {
        const forbidden = await refusal(client, 'secrets.read_private_key');
        assert.equal(forbidden.code, -32602);
        assert.deepEqual(forbidden, await refusal(client, 'secrets.read_nothing'));
      }));
    }
  });

  describe(`${era} over stdio`, () => {
    // The pinned client starts a second process to find out what the server speaks.
    test('the local user sees everything, and every contract validates', () => withClient(overStdio(), mode, async (client) => {
      const { tools } = await client.listTools();
      assert.deepEqual(tools.map((tool) => tool.name), everything);
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

    test('a contract that is none does not validate', () => withClient(overStdio(), mode, async (client) => {
      const validate = validator('');
      const published = (await client.listTools()).tools[0]._meta[contractKey];
      for (const broken of [{ ...published, risk: 'mild' }, { ...published, format: 'one' }, { ...published, permissions: 'all' }]) {
        assert.equal(validate(broken), false, JSON.stringify(broken));
      }
    }));

    test('the summary validates and is short', () => withClient(overStdio('-tier', 'summary'), mode, async (client) => {
      const validate = validator('#/$defs/summary');
      for (const tool of (await client.listTools()).tools) {
        const published = tool._meta[contractKey];
        assertValid(validate, published);
        assert.ok(Buffer.byteLength(JSON.stringify(published)) <= 200);
      }
    }));

    test('hints alone carry no contract', () => withClient(overStdio('-tier', 'hints'), mode, async (client) => {
      for (const tool of (await client.listTools()).tools) {
        assert.equal(tool._meta?.[contractKey], undefined);
        assert.equal(typeof tool.annotations.destructiveHint, 'boolean');
      }
    }));

    test('the local user holds what -permissions says', () => withClient(overStdio('-permissions', 'contacts:read'), mode, async (client) => {
      assert.deepEqual(await names(client), ['contacts.search']);
      const { outcome } = await call(client, 'emails.create_draft', lunch);
      assert.equal(outcome.code, 'permission_denied');
    }));

    for (const c of calls) {
      test(`the local user: ${c.title}`, () => withClient(overStdio(), mode, async (client) => {
        await client.listTools();
        await checkCall(client, c);
      }));
    }

    test('the forbidden tool answers as an unknown name', () => withClient(overStdio(), mode, async (client) => {
      assert.deepEqual(await refusal(client, 'secrets.read_private_key'), await refusal(client, 'secrets.read_nothing'));
    }));
  });
}
