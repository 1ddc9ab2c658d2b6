// What a client keeps of what the server sent, and what comes of a person's
// answers through it, for the tables. OBSERVED is where ./run collects it.
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

// writeAnswers writes, answer by answer, what came of it where.
export function writeAnswers(client, seen) {
  writeFileSync(path.join(dir, `answers-${fileName(client)}`), JSON.stringify({ client, seen }));
}

// Observed collects, fact by fact, where it held and where it did not.
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

  // list compares the tools that a client lists with those that were sent.
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

  // result compares the result of a call with the one that was sent.
  result(where, got, sent) {
    this.#note(sent.isError ? 'error _meta' : 'result _meta', where, isDeepStrictEqual(comparable(got), comparable(sent)));
    if (sent.isError) {
      this.#note('error text', where, isDeepStrictEqual(got.content, sent.content));
    } else {
      this.#note('structuredContent', where, got.structuredContent !== undefined);
    }
  }

  // unlisted notes whether the client calls a name that its list lacks.
  unlisted(where, called) {
    this.#note('unlisted names', where, called);
  }

  write() {
    writeFileSync(path.join(dir, `kept-${fileName(this.#client)}`), JSON.stringify({ client: this.#client, facts: this.#facts }));
  }
}

// comparable is the outcome without what differs from call to call.
function comparable(result) {
  const outcome = result._meta?.[outcomeKey];
  return outcome && { ...outcome, callId: typeof outcome.callId };
}
