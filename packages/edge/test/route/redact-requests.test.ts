import { createRun, definePrompt, reduceAll, type RunEvent } from '@cueline/core';
import { explain } from '@cueline/core/inspect';
import type { ScriptedTurn } from '@cueline/core/testing';
import { createMemoryRuns } from '@cueline/edge';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { redactRequests } from '../../src/route/redact-requests.ts';
import { read } from '../stores/events.ts';
import { all, ask, client, never, post, testRoute, type TestRoute } from './routes.ts';

/** Says a word of its own wherever only the model should read it. */
const guarded = definePrompt('guarded', (prompt) => {
  prompt.defSystem('rules', 'xyzzy-system');
  prompt.def('PLACE', 'xyzzy-variable');
  prompt.defData('prices', { bread: 'xyzzy-data' });
  const schema = z.object({ at: z.string().describe('xyzzy-schema') });
  prompt.defTool('look', 'xyzzy-tool', schema, ({ at }) => `seen ${at}`);
  prompt.defAgent('guide', 'Guides', z.object({}), (_, inner) => {
    inner.defSystem('rules', 'xyzzy-agent');
    inner.$`Guide.`;
  });
  prompt.defHook(({ messages }) => ({
    messages: [...messages, { role: 'user', content: 'xyzzy-hook' }],
  }));
  prompt.$`Have a look.`;
});
const words = ['system', 'variable', 'data', 'schema', 'tool', 'agent', 'hook'].map(
  (word) => `xyzzy-${word}`,
);
const script: ScriptedTurn[] = [
  [{ toolCall: { name: 'look', input: { at: 'Faro' } } }, { toolCall: { name: 'guide', input: {} } }],
  'Left.',
  'Seen.',
];

/** A route, and every byte that it answers. */
function tapped(options: Parameters<typeof testRoute>[1]): TestRoute & { bytes: string[] } {
  const hub = testRoute(script, { definition: guarded, ...options });
  const bytes: string[] = [];
  const route: TestRoute['route'] = async (...given) => {
    const response = await hub.route(...given);
    const text = await response.text();
    bytes.push(JSON.stringify([...response.headers]) + text);
    return new Response(response.body === null ? null : text, response);
  };
  const fetch: TestRoute['fetch'] = (subject) => (request) => {
    const sent = new Request(request);
    sent.headers.set('authorization', `Bearer ${subject ?? 'ada'}`);
    return route(sent);
  };
  return { ...hub, route, fetch, bytes };
}

function wordsIn(bytes: unknown): string[] {
  const text = JSON.stringify(bytes);
  return words.filter((word) => text.includes(word));
}

const said = { messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'Hi' }] }] };

test.each([
  ['by default', {}, []],
  ['if requests are shown', { showRequests: true }, words],
  ['in development', { development: true }, words],
  ['in development, with requests hidden', { development: true, showRequests: false }, []],
])('the request to the model, %s', async (_, options, shown) => {
  const store = createMemoryRuns();
  const here = tapped({ ...options, store });
  const run = createRun(guarded, { executor: client(here) });
  expect(await run.start()).toBe('Seen.');
  const state = run.getState();
  expect(wordsIn(here.model.calls)).toEqual(words);
  expect(wordsIn(here.bytes)).toEqual(shown);
  expect(wordsIn(state)).toEqual(shown);
  // another instance over the same store
  const there = tapped({ ...options, store });
  const { runId } = state;
  await all(client(there).attach(runId, -1, never())!);
  await (await there.route(ask('GET', `?run=${runId}`, { 'last-event-id': '2' }))).text();
  expect(there.bytes.join('')).toContain('step-start');
  expect(wordsIn(there.bytes)).toEqual(shown);
  expect(wordsIn(await all(read(store, runId, -1, never())))).toEqual(shown);
  // the state has its steps, and all that is no request
  expect(state.steps.map(({ step, finishReason }) => [step, finishReason])).toEqual([
    [0, 'tool-calls'],
    [1, 'stop'],
  ]);
  expect(state.agents.map(({ steps, text }) => [steps.length, text])).toEqual([[1, 'Left.']]);
  expect(state.toolCalls).toMatchObject([{ output: 'seen Faro' }, { output: 'Left.' }]);
  expect(Object.keys(state.variables)).toEqual(['PLACE', 'prices']);
  expect(state.messages[0]).toMatchObject({ role: 'user', parts: [{ text: 'Have a look.' }] });
  for (const { request } of state.steps) expect(wordsIn(explain(request)).length > 0).toBe(shown.length > 0);
});

test('no chat stream contains the request to the model', async () => {
  for (const showRequests of [false, true]) {
    const hub = tapped({ showRequests });
    await hub.route(post({ id: 'chat-1', trigger: 'submit-message', ...said }));
    expect(hub.bytes[0]).toContain('"delta":"Seen."');
    await hub.route(ask('GET', '/chat-1/stream'));
    expect(hub.bytes[1]).toContain('"delta":"Seen."');
    expect(wordsIn(hub.model.calls)).toEqual(words);
    expect(wordsIn(hub.bytes)).toEqual([]);
  }
});

test('a run continues from its last complete step as if nothing had been hidden', async () => {
  let fails = true;
  const moody = definePrompt('moody', (prompt) => {
    prompt.defSystem('rules', 'xyzzy-system');
    prompt.defTool('look', 'Looks', z.object({}), () => 'seen');
    prompt.defHook(({ stepNumber }) => {
      if (stepNumber === 1 && fails) throw new Error('Not yet.');
      return undefined;
    });
    prompt.$`Look.`;
  });
  const hub = testRoute([[{ toolCall: { name: 'look', input: {} } }], 'Seen.'], { definition: moody });
  const run = createRun(moody, { executor: client(hub) });
  await expect(run.start()).rejects.toMatchObject({ code: 'script_error' });
  fails = false;
  await run.retry();
  expect(run.getState()).toMatchObject({
    status: 'done',
    text: 'Seen.',
    toolCalls: [{ output: 'seen' }],
    steps: [{ step: 0 }, { step: 1 }],
  });
  expect(JSON.stringify(run.getState())).not.toContain('xyzzy');
});

test('the log is the same except for the requests', async () => {
  const hub = testRoute(script, { definition: guarded, showRequests: true });
  const events = await all(client(hub).start({ definition: guarded, input: undefined }, never()));
  const whole = reduceAll(events);
  const state = reduceAll(events.map(redactRequests));
  const bare = ({ steps, variables, agents, ...rest }: typeof whole) => ({
    ...rest,
    steps: steps.map(({ request: { model }, ...step }) => ({ model, ...step })),
    variables: Object.keys(variables),
    agents: agents.map(({ steps, ...agent }) => [agent, steps.map(({ request }) => request.model)]),
  });
  expect(bare(state)).toEqual(bare(whole));
});

test('a failing agent does not reveal its prompt', () => {
  const error = { code: 'parse_failed' as const, message: 'No.', details: { attempts: 2 } };
  const told = { ...error, details: { ...error.details, dialog: [{ role: 'system', content: 'xyzzy' }] } };
  const ends = (given: typeof error): RunEvent[] => [
    { seq: 0, t: 0, type: 'retry', error: given },
    { seq: 0, t: 0, type: 'agent-end', outcome: 'error', error: given },
    { seq: 0, t: 0, type: 'run-end', outcome: 'error', error: given },
  ];
  expect(ends(told).map(redactRequests)).toEqual(ends(error));
});
