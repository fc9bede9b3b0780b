import process from 'node:process';
// One run in a process of its own, and how much memory it took: node --expose-gc heap-probe.ts <case> <base URL>
import { createRun, definePrompt, inProcess } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import * as z from 'zod';

const [name, baseURL = ''] = process.argv.slice(2);

const definition = definePrompt('probe', (prompt) => {
  prompt.defTool('look', 'Looks.', z.object({}), () => {
    throw new Error('x'.repeat(10_000_000));
  });
  prompt.$`Look.`;
});
const toolTurns = [[{ toolCall: { name: 'look', input: {} } }], 'Done.'];
const env = { UP_API_BASE: baseURL, UP_API_TYPE: 'openai', UP_API_KEY: 'none' };

function open() {
  return name === 'tool'
    ? createRun(definition, { model: scriptedModel(toolTurns), executor: inProcess() })
    : createRun(definition, { model: 'up:m', executor: inProcess({ env }) });
}

/** Returns the used memory in bytes, after a garbage collection. */
function used(): number {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

// code that a first run loads does not count
const warm = createRun(definition, { model: scriptedModel(['Hello.']), executor: inProcess() });
await warm.start();
const before = used();
let most = before;
const timer = setInterval(() => (most = Math.max(most, used())), 20);
const run = open();
await run.start().catch(() => {});
most = Math.max(most, used());
clearInterval(timer);
const state = run.getState();
process.stdout.write(
  JSON.stringify({ status: state.status, code: state.error?.code, megabytes: (most - before) / 2 ** 20 }),
);
process.exit();
