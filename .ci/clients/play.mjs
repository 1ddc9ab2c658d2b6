// Runs every scenario with one client, in each era that it speaks, over stdio
// and HTTP.
//
// A driver is { name, version, eras, connect }. connect takes the era and the
// server, { command, args } or { url, token }, and returns a session: list() →
// the tools, call(name, args) → { result } or { error }, close(). A session
// must list the tools before it calls one, so that the client can check results
// against output schemas.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';

import { Observed, outcomeKey } from './observed.mjs';
import { scenarios } from './scenarios.mjs';
import { program, serveHTTP, wire } from './server.mjs';

// eras maps the clients' names of the eras to protocol versions.
export const eras = { legacy: '2025-11-25', modern: '2026-07-28' };

// In the modern era every result names its server under this key.
const serverKey = 'io.modelcontextprotocol/serverInfo';

// installed returns the version of an installed npm package.
export function installed(name) {
  return JSON.parse(readFileSync(path.join(import.meta.dirname, 'node_modules', name, 'package.json'), 'utf8')).version;
}

const fill = (args, dir) => args.map((arg) => arg.replaceAll('{dir}', dir));

async function within(opening, use) {
  const session = await opening;
  try {
    return await use(session);
  } finally {
    await session.close();
  }
}

export function play(driver) {
  const observed = new Observed({ name: driver.name, version: driver.version, eras: driver.eras.map((era) => eras[era]) });
  after(() => observed.write());
  for (const scenario of scenarios) {
    // Two servers run at a time. The calls of one server run in order.
    describe(`${driver.name}: ${scenario.example}`, { concurrency: 2 }, () => {
      const dirs = [];
      const newDir = () => {
        const dir = mkdtempSync(path.join(tmpdir(), 'toolcontract-clients-'));
        dirs.push(dir);
        return dir;
      };
      const sent = { results: [] };
      before(async () => {
        await within(wire(scenario.example, fill(scenario.args, newDir())), async (server) => {
          sent.tools = (await server.request('tools/list')).tools;
          for (const c of scenario.calls) sent.results.push(await server.request('tools/call', { name: c.tool, arguments: c.arguments }));
        });
      });
      after(() => {
        for (const dir of dirs) rmSync(dir, { recursive: true, force: true });
      });
      for (const era of driver.eras) {
        describe(`${era} over stdio`, { concurrency: 1 }, () => {
          const args = fill(scenario.args, newDir());
          playOver(driver, scenario, sent, observed, { era, transport: 'stdio' }, (caller) => ({
            command: program(scenario.example),
            args: caller.permissions === undefined ? args : [...args, '-permissions', caller.permissions],
          }));
        });
        describe(`${era} over HTTP`, { concurrency: 1 }, () => {
          let server;
          before(async () => {
            server = await serveHTTP(scenario.example, fill(scenario.args, newDir()));
          });
          after(() => server.stop());
          playOver(driver, scenario, sent, observed, { era, transport: 'HTTP' }, (caller) => ({ url: server.url, token: caller.token }));
        });
      }
    });
  }
}

function playOver(driver, scenario, sent, observed, { era, transport }, target) {
  const where = `${eras[era]} over ${transport}`;
  const callers = scenario.callers.filter((caller) => (caller.over ?? transport) === transport);
  const [everyone] = callers;
  const as = (caller, use) => within(driver.connect(era, target(caller)), use);

  // callTool calls a tool and checks the properties of every result.
  async function callTool(session, name, args) {
    const { result, error } = await session.call(name, args);
    assert.equal(error, undefined);
    const outcome = result._meta[outcomeKey];
    assert.ok(outcome.callId);
    assert.equal(result._meta[serverKey] !== undefined, era === 'modern');
    assert.equal(result.isError ?? false, outcome.status === 'error');
    assert.equal(result.content[0].text.startsWith('[FATAL] '), outcome.class === 'fatal');
    return { result, outcome };
  }

  for (const caller of callers) {
    test(`${caller.name} sees the permitted tools`, () => as(caller, async (session) => {
      const tools = await session.list();
      assert.deepEqual(tools.map((tool) => tool.name), caller.tools);
      if (caller === everyone) observed.list(where, tools, sent.tools);
    }));
    for (const [tool, code] of Object.entries(caller.refused ?? {})) {
      test(`${caller.name}: ${tool} is ${code}, whatever the arguments`, () => as(caller, async (session) => {
        const { error } = await session.call(tool, {});
        observed.unlisted(where, error === undefined);
        if (error) {
          assert.equal(error.code, driver.refusesUnlisted, error.message);
          return;
        }
        const { outcome } = await callTool(session, tool, {});
        assert.equal(outcome.code, code);
        assert.equal(outcome.class, 'fatal');
        assert.equal(outcome.violations, undefined);
      }));
    }
    if (scenario.forbidden && [everyone, callers.at(-1)].includes(caller)) {
      test(`${caller.name}: the forbidden tool answers as an unknown name`, () => as(caller, async (session) => {
        const answer = async (name) => {
          const { result, error } = await session.call(name, {});
          assert.equal(result, undefined);
          return { ...error, message: error.message.replaceAll(name, 'NAME') };
        };
        const forbidden = await answer(scenario.forbidden);
        assert.equal(forbidden.code, driver.refusesUnlisted ?? -32602);
        assert.deepEqual(forbidden, await answer(scenario.unknown));
      }));
    }
  }

  scenario.calls.forEach((c, i) => {
    test(c.title, () => as(everyone, async (session) => {
      const { result, outcome } = await callTool(session, c.tool, c.arguments);
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
      observed.result(where, result, sent.results[i]);
    }));
  });
}
