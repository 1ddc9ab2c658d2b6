// Shared by run.mjs, which tests servers, and client.mjs, which tests the
// client.
import { spawn } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';

// patience is the time limit of one suite command, in milliseconds.
const patience = 60_000;

// versions maps each suite to the arguments that select its protocol version.
// The newer suite also contains scenarios of older versions; those run in the
// other suite.
export const versions = { 'conformance-2025-11-25': [], 'conformance-2026-07-28': ['--spec-version', '2026-07-28'] };

// suite runs a suite's command and returns its stdout, whatever the exit code.
export function suite(name, args, stderr = 'inherit') {
  const program = path.join(import.meta.dirname, 'node_modules', name, 'dist/index.js');
  const child = spawn(process.execPath, ['--import', './node20.mjs', program, ...args], {
    cwd: import.meta.dirname, stdio: ['ignore', 'pipe', stderr], timeout: patience, killSignal: 'SIGKILL',
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

// results returns the failed checks of each scenario in a folder. The names of
// the scenario folders begin with prefix. A scenario with neither a successful
// nor a failed check has checked nothing, which counts as a failure.
export function results(of, prefix = '') {
  const all = {};
  for (const folder of readdirSync(of)) {
    const [, scenario] = folder.slice(prefix.length).match(/^(.+)-\d{4}-\d{2}-\d{2}T[\d-]+Z$/);
    const checks = JSON.parse(readFileSync(path.join(of, folder, 'checks.json'), 'utf8'));
    all[scenario] = checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING');
    if (!checks.some(({ status }) => status === 'SUCCESS') && all[scenario].length === 0) all[scenario].push({ id: 'nothing-checked' });
  }
  return all;
}

// problem describes how a result differs from the expected one, or returns
// undefined if it does not.
function problem(want, failed) {
  if (want === undefined) return 'expected.json does not list it';
  if (want.notRun) return failed && 'was run';
  if (!failed) return 'was not run';
  const ids = [...new Set(failed.map(({ id }) => id))].sort();
  if (want === 'pass') return ids.length === 0 ? undefined : 'failed';
  if (want.flaky) return ids.every((id) => want.flaky.includes(id)) ? undefined : 'failed in a check that is not listed as flaky';
  if (ids.length === 0) return 'passed, but is listed as failing';
  return isDeepStrictEqual(ids, [...want.fails].sort()) ? undefined : 'failed in other checks than those listed';
}

// compare prints how the results of a suite differ from the expected ones, and
// how many scenarios pass. It returns the number of differences.
export function compare(name, scenarios, failures, listed) {
  const names = new Set([...Object.keys(scenarios), ...Object.keys(failures), ...listed]);
  let held = 0;
  let wrong = 0;
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
  console.log(`${name}: ${held} of ${names.size} scenarios pass, the others are as expected.json has them`);
  return wrong;
}

// finish fails if results were not as expected.
export function finish(wrong) {
  if (wrong === 0) return;
  console.error(`conformance: ${wrong} scenarios are not as expected.json has them`);
  process.exit(1);
}
