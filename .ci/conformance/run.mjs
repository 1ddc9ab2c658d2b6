// Runs each suite of SDK/expected.json against a new fixture and compares the
// results: node run.mjs DIR SDK, where DIR has the executable SDK of the fixture.
//
// expected.json has every scenario of each suite, by the package of the suite.
// A scenario passes, fails in exactly the listed checks, may fail in them
// because it is flaky, or is not run. A warning counts as a failure.
import { spawn } from 'node:child_process';
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync } from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';
import { compare, finish, results, suite, versions } from './judge.mjs';

const [dir, sdk] = process.argv.slice(2);
assert.ok(dir && sdk, 'start it by .ci/conformance/run');
const expected = JSON.parse(readFileSync(path.join(import.meta.dirname, sdk, 'expected.json'), 'utf8'));

// fixture starts the server. stop ends it and returns how often tools ran that
// need a confirmation.
async function fixture() {
  const child = spawn(path.join(dir, sdk), [], { stdio: ['ignore', 'ignore', 'pipe'] });
  const kill = () => child.kill('SIGKILL');
  process.on('exit', kill);
  const closed = new Promise((resolve) => child.once('close', resolve));
  let runs;
  const url = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', () => reject(new Error('the fixture ended before it listened')));
    readline.createInterface({ input: child.stderr }).on('line', (line) => {
      const listening = line.match(/^listening on (http:\S+)$/);
      if (listening) resolve(listening[1]);
      const ended = line.match(/^ran after a question: (\d+)$/);
      if (ended) runs = Number(ended[1]);
    });
  });
  return {
    url,
    async stop() {
      child.kill('SIGTERM');
      await closed;
      process.off('exit', kill);
      return runs;
    },
  };
}

let wrong = 0;
for (const [name, scenarios] of Object.entries(expected)) {
  const listed = (await suite(name, ['list', '--server'])).matchAll(/^ {2}- (\S+) \[/gm);
  const out = mkdtempSync(path.join(dir, `${name}-`));
  const server = await fixture();
  await suite(name, ['server', '--url', server.url, '--suite', 'all', ...versions[name], '-o', out]);
  const runs = await server.stop();
  wrong += compare(name, scenarios, results(out, 'server-'), [...listed].map(([, scenario]) => scenario));
  // No suite knows the guard's form, so all of its answers count as declined.
  if (runs !== 0) {
    wrong++;
    console.error(`${name}: tools that need a confirmation ran ${runs} times without one`);
  }
}
finish(wrong);
