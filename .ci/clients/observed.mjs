// Records what a client passes on, and the results of a person's answers, for
// the tables. ./run collects the records in the directory OBSERVED.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';

const dir = process.env.OBSERVED;
assert.ok(dir, 'OBSERVED is not set: start the tests by .ci/clients/run');

export const contractKey = 'io.github.toolcontract/contract';
export const outcomeKey = 'io.github.toolcontract/outcome';
const hints = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'];

const fileName = ({ name }) => `${name.replaceAll('/', '-')}.json`;

// writeAnswers writes the results of each answer, by protocol version and
// transport.
export function writeAnswers(client, seen) {
  writeFileSync(path.join(dir, `answers-${fileName(client)}`), JSON.stringify({ client, seen }));
}

// Observed collects for each fact where it held.
// untagged returns content without the tags that delimit untrusted text, because
// each answer has its own.
function untagged(content) {
  return content.map((item) => ({ ...item, text: item.text?.replaceAll(/untrusted-content-[a-z2-7]{16}/g, 'untrusted-content') }));
}

export class Observed {
  #client;
  #facts = {};

  constructor(client) {
    this.#client = client;
  }

  #note(fact, where, held) {
    const of = (this.#facts[fact] ??= {});
    of[where] = (of[where] ?? true) && held;
  }

  // list compares the tools that a client lists with the tools that were sent.
  list(where, got, sent) {
    const find = (name) => got.find((tool) => tool.name === name) ?? {};
    for (const tool of sent) {
      const listed = find(tool.name);
      this.#note('dotted names', where, listed.name !== undefined);
      this.#note('title', where, listed.title === tool.title);
      this.#note('hints', where, hints.every((hint) => listed.annotations?.[hint] === tool.annotations[hint]));
      this.#note('inputSchema', where, isDeepStrictEqual(listed.inputSchema, tool.inputSchema));
      this.#note('outputSchema', where, isDeepStrictEqual(listed.outputSchema, tool.outputSchema));
      this.#note('tool _meta', where, isDeepStrictEqual(listed._meta?.[contractKey], tool._meta[contractKey]));
    }
  }

  // result compares the result that a client returns with the result that was
  // sent.
  result(where, got, sent) {
    this.#note(sent.isError ? 'error _meta' : 'result _meta', where, isDeepStrictEqual(comparable(got), comparable(sent)));
    if (sent.isError) {
      this.#note('error text', where, isDeepStrictEqual(untagged(got.content), untagged(sent.content)));
    } else {
      this.#note('structuredContent', where, got.structuredContent !== undefined);
    }
  }

  // unlisted records whether the client calls a tool that is not in its list.
  unlisted(where, called) {
    this.#note('unlisted names', where, called);
  }

  write() {
    writeFileSync(path.join(dir, `kept-${fileName(this.#client)}`), JSON.stringify({ client: this.#client, facts: this.#facts }));
  }
}

// comparable returns the outcome without its call id, which differs in each
// call, and without what depends on the transport: the id of the operation,
// because callers differ, and the hint about a step-up. What is compared was sent
// over stdio, where a user cannot authenticate again.
function comparable(result) {
  const outcome = result._meta?.[outcomeKey];
  return outcome && {
    ...outcome, callId: typeof outcome.callId, operationId: typeof outcome.operationId,
    hint: outcome.stepUp ? typeof outcome.hint : outcome.hint,
  };
}
