import { readFileSync } from 'node:fs';
import {
  createRun,
  definePrompt,
  LOG_VERSION,
  reduceAll,
  viaRoute,
  type RunEvent,
  type RunState,
} from '@cueline/core';
import { decodeLink, decodeLog, upgradeLog } from '@cueline/core/link';
import { replay } from '@cueline/core/replay';
import { describe, expect, test } from 'vitest';
import { memoryStorage } from '../support/runs.ts';

/** A log of version 1 as a run wrote it, and the state that it had then. */
type Recording = {
  log: RunEvent[];
  state: Pick<RunState, 'status' | 'text' | 'messages' | 'toolCalls' | 'variables' | 'usage'> & {
    requests: {
      requestId: string;
      kind: 'approval' | 'client-tool';
      answer?: { approve?: boolean };
      withdrawn?: true;
      fault?: string;
      page?: string;
    }[];
  };
};

const read = (file: string): string =>
  readFileSync(new URL(`./version-1/${file}`, import.meta.url), 'utf8').trim();
/** The first line of a file is the state, and each other line an event of the log. */
const recordings = ['agents', 'approvals', 'client-tools', 'provider-approvals', 'stopped'].map(
  (name): [string, Recording] => {
    const lines = read(`${name}.jsonl`).split('\n');
    const [state, ...log] = lines.map((line) => JSON.parse(line) as unknown);
    return [name, { state, log } as Recording];
  },
);
const prompt = definePrompt('any', () => {});

/** What a state of this version says, as far as a state of version 1 said it, too. */
function factsOf(state: RunState): unknown {
  const { status, text, messages, toolCalls, variables, usage, approvals, clientToolCalls } = state;
  const facts = {
    status,
    text,
    messages,
    toolCalls,
    variables,
    usage,
    approvals: approvals.map(({ approvalId, reason, response, withdrawn }) => [
      approvalId,
      reason,
      response?.approved,
      withdrawn,
    ]),
    clientToolCalls: clientToolCalls.map(({ clientCallId, page, response, withdrawn }) => [
      clientCallId,
      page,
      response,
      withdrawn,
    ]),
  };
  // the messages of version 1 did not say with which arguments a call was approved
  const json = JSON.stringify(facts, (key, value: unknown) =>
    key === 'approval' ? { ...(value as object), input: undefined } : value,
  );
  return JSON.parse(json);
}

/** What the state of version 1 said, in the same form. */
function recordedFacts({ state }: Recording): unknown {
  const { status, text, messages, toolCalls, variables, usage, requests } = state;
  const facts = {
    status,
    text,
    messages,
    toolCalls,
    variables,
    usage,
    approvals: requests.flatMap(({ kind, requestId, fault, answer, withdrawn }) =>
      kind === 'approval' ? [[requestId, fault, answer?.approve, withdrawn]] : [],
    ),
    clientToolCalls: requests.flatMap(({ kind, requestId, page, answer, withdrawn }) =>
      kind === 'client-tool' ? [[requestId, page, answer, withdrawn]] : [],
    ),
  };
  return JSON.parse(JSON.stringify(facts));
}

describe.each(recordings)('a log of version 1: %s', (_name, recording) => {
  const facts = recordedFacts(recording);

  test('reduces to the same state as before', () => {
    const log = upgradeLog(recording.log);
    expect(log[0]).toMatchObject({ v: LOG_VERSION });
    expect(log.map(({ type }) => type).filter((type) => /^(request-|tool-approval)/.test(type))).toEqual([]);
    expect(factsOf(reduceAll(log))).toEqual(facts);
  });

  test('is upgraded to the same log a second time, and is not modified', () => {
    const before = JSON.stringify(recording.log);
    const log = upgradeLog(recording.log);
    expect(upgradeLog(log)).toBe(log);
    expect(JSON.stringify(recording.log)).toBe(before);
  });

  test('opens in createRun, from text, in a replay and from a storage', async () => {
    const { log } = recording;
    expect(factsOf(createRun(prompt, { log: upgradeLog(log) }).getState())).toEqual(facts);
    const text = decodeLog(JSON.stringify({ v: 1, events: log }));
    expect(factsOf(reduceAll(text))).toEqual(facts);
    if (log.at(-1)?.type !== 'run-end') return;
    // without upgradeLog, the code that upgrades a log loads with the run
    const given = createRun(prompt, { log });
    expect(given.getState().status).toBe(recording.state.status);
    await given.restored;
    expect(factsOf(given.getState())).toEqual(facts);
    const replayed = createRun(prompt, { executor: replay(log, { speed: Infinity }) });
    await replayed.start().catch(() => {});
    expect(factsOf(replayed.getState())).toEqual(facts);
    const stored = createRun(prompt, { id: 'a', storage: memoryStorage({ a: log }) });
    await stored.restored;
    expect(factsOf(stored.getState())).toEqual(facts);
  });

  test('arrives from a route that has stored it', async () => {
    const { log } = recording;
    if (log.at(-1)?.type !== 'run-end') return;
    const body = log.map((event) => `id: ${event.seq}\ndata: ${JSON.stringify(event)}\n\n`).join('');
    const executor = viaRoute('https://app.test/prompt', {
      fetch: async () => new Response(body, { headers: { 'content-type': 'text/event-stream' } }),
    });
    const run = createRun(prompt, { executor });
    await run.start().catch(() => {});
    expect(factsOf(run.getState())).toEqual(facts);
  });
});

test('opens from a link', () => {
  const { script, log } = decodeLink(read('link.txt'));
  expect(script).toContain('Pay the bills.');
  const { state } = recordings.find(([name]) => name === 'approvals')![1];
  expect(reduceAll(log!)).toMatchObject({ status: 'done', text: state.text, messages: state.messages });
  expect(reduceAll(log!).approvals).toHaveLength(state.requests.length);
});
