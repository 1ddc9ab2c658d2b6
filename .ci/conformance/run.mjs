// Runs each suite of SDK/expected.json against a new fixture and compares the
// results: node run.mjs DIR SDK, where DIR has the executable SDK of the fixture.
//
// expected.json has every scenario of each suite, by the package of the suite.
// A scenario passes, fails in exactly the listed checks, may fail in them
// because it is flaky, or is not run. A warning counts as a failure.
import { spawn } from 'node:child_process';
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';
import { isDeepStrictEqual } from 'node:util';

const [dir, sdk] = process.argv.slice(2);
assert.ok(dir && sdk, 'start it by .ci/conformance/run');
const expected = JSON.parse(readFileSync(path.join(import.meta.dirname, sdk, 'expected.json'), 'utf8'));

// patience bounds a suite that hangs, in milliseconds.
const patience = 60_000;

// The suite of the newer protocol version also has the scenarios of older
// versions. They run in the other suite.
const only = { 'conformance-2025-11-25': [], 'conformance-2026-07-28': ['--spec-version', '2026-07-28'] };

// suite runs the command of a suite and returns its stdout, whatever the exit
// code.
function suite(name, args) {
  const program = path.join(import.meta.dirname, 'node_modules', name, 'dist/index.js');
  const child = spawn(process.execPath, ['--import', './node20.mjs', program, ...args], {
    cwd: import.meta.dirname, stdio: ['ignore', 'pipe', 'inherit'], timeout: patience, killSignal: 'SIGKILL',
  });
  return new Promise((resolve, reject) => {
    let out = '';
    child.stdout.on('data', (data) => { out += data; });
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (signal) reject(new Error(`${name} took longer than ${patience} ms`));
      else resolve(out);
    });
  });
}

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

// results returns the failed checks of each scenario. A scenario without any
// successful or failed check has checked nothing, which counts as a failure.
function results(of) {
  const all = {};
  for (const folder of readdirSync(of)) {
    const [, scenario] = folder.match(/^server-(.+)-\d{4}-\d{2}-\d{2}T[\d-]+Z$/);
    const checks = JSON.parse(readFileSync(path.join(of, folder, 'checks.json'), 'utf8'));
    all[scenario] = checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING');
    if (!checks.some(({ status }) => status === 'SUCCESS') && all[scenario].length === 0) all[scenario].push({ id: 'nothing-checked' });
  }
  return all;
}

// problem describes how a result differs from the expected one. It returns
// undefined if it does not.
function problem(want, failed) {
  if (want === undefined) return 'expected.json does not list it';
  if (want.notRun) return failed && 'was run';
  if (!failed) return 'was not run';
  const ids = [...new Set(failed.map(({ id }) => id))].sort();
  if (want === 'pass') return ids.length === 0 ? undefined : 'failed';
  if (want.flaky) return ids.every((id) => want.flaky.includes(id)) ? undefined : 'failed in another check than the flaky ones';
  if (ids.length === 0) return 'passed, but is listed as failing';
  return isDeepStrictEqual(ids, [...want.fails].sort()) ? undefined : 'failed in other checks than the listed ones';
}

let wrong = 0;
for (const [name, scenarios] of Object.entries(expected)) {
  const listed = (await suite(name, ['list', '--server'])).matchAll(/^ {2}- (\S+) \[/gm);
  const out = mkdtempSync(path.join(dir, `${name}-`));
  const server = await fixture();
  await suite(name, ['server', '--url', server.url, '--suite', 'all', ...only[name], '-o', out]);
  const runs = await server.stop();

  const failures = results(out);
  const names = new Set([...Object.keys(scenarios), ...Object.keys(failures), ...[...listed].map(([, scenario]) => scenario)]);
  let held = 0;
  for (const scenario of names) {
    const what = problem(scenarios[scenario], failures[scenario]);
    if (!what) {
      held += scenarios[scenario] === 'pass';
      continue;
    }
    wrong++;
    console.error(`${name}: ${scenario} ${what}`);
    for (const { id, errorMessage } of failures[scenario] ?? []) console.error(`    ${id}${errorMessage ? `: ${errorMessage}` : ''}`);
  }
  // No suite knows the guard's form, so all of its answers count as declined.
  if (runs !== 0) {
    wrong++;
    console.error(`${name}: tools that need a confirmation ran ${runs} times without one`);
  }
  console.log(`${name}: ${held} of ${names.size} scenarios pass, the others are as expected.json has them`);
}
if (wrong) {
  console.error(`conformance: ${wrong} scenarios are not as expected.json has them`);
  process.exit(1);
}
