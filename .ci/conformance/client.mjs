// Runs each client scenario in agent/expected.json against package agent and
// compares the results: node client.mjs DIR, where DIR contains the agent
// executable.
//
// expected.json has the same form as a server's. The scenarios run one at a
// time, because the suites can't run a selection of them.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { compare, finish, results, suite, versions } from './judge.mjs';

const [dir] = process.argv.slice(2);
assert.ok(dir, 'start it by .ci/conformance/run');
const expected = JSON.parse(readFileSync(path.join(import.meta.dirname, 'agent', 'expected.json'), 'utf8'));

let wrong = 0;
for (const [name, scenarios] of Object.entries(expected)) {
  const listed = [...(await suite(name, ['list', '--client'])).matchAll(/^ {2}- (\S+) \[/gm)].map(([, scenario]) => scenario);
  const out = mkdtempSync(path.join(dir, `${name}-`));
  for (const scenario of listed.filter((one) => scenarios[one] && !scenarios[one].notRun)) {
    await suite(name, ['client', '--command', path.join(dir, 'agent'), '--scenario', scenario, ...versions[name], '-o', out], 'ignore');
  }
  wrong += compare(name, scenarios, results(out), listed);
}
finish(wrong);
