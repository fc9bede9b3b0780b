import { definePrompt, inProcess, type PromptDefinition, type RunEvent } from '@cueline/core';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import { beforeEach, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { examples } from '../../src/examples/index.ts';
import { continueRun, runOfLog, showSession } from '../../src/state/run-session.ts';
import { usePlayground } from '../../src/state/store.ts';
import { sessionOf } from '../sessions.ts';
import { page } from './in-process-page.ts';

vi.mock('../../src/sandbox/index.ts', () => import('./in-process-page.ts'));
vi.mock('../../src/model/create-model.ts', () => import('./in-process-page.ts'));

/** The prompt of every script. */
let prompt: PromptDefinition<unknown>;

const made: string[] = [];
const call = (name: string, what: string): Extract<ScriptedTurn, readonly unknown[]>[number] => ({
  toolCall: { name, input: { what }, id: what },
});
const isHanging = { now: true };

/** The log of a run of these turns whose page was closed after the event that `last` describes. */
async function interrupted(turns: readonly ScriptedTurn[], last: RegExp): Promise<RunEvent[]> {
  const log: RunEvent[] = [];
  const model = scriptedModel(turns);
  const stop = new AbortController();
  for await (const event of inProcess().start({ definition: prompt, input: undefined, model }, stop.signal)) {
    log.push(event);
    if (last.test(JSON.stringify(event))) break;
  }
  return log;
}

async function continueFrom(log: readonly RunEvent[], turns: readonly ScriptedTurn[], script = 'script') {
  const model = scriptedModel(turns);
  page.model = model;
  page.prompts.set(script, prompt);
  isHanging.now = false;
  made.length = 0;
  const run = await runOfLog(log, { script });
  const { connection } = usePlayground.getState();
  showSession(sessionOf(run, { source: { script }, model: { name: connection.kind, detail: '' } }));
  continueRun();
  await vi.waitFor(() => expect(run.getState().status).toBe('done'), 5_000);
  return { model, state: run.getState() };
}

beforeEach(() => {
  usePlayground.setState(usePlayground.getInitialState(), true);
  page.plays.length = 0;
  isHanging.now = true;
  const work = async ({ what }: { what: string }): Promise<string> => {
    made.push(what);
    if (isHanging.now) await new Promise(() => {});
    return `did ${what}`;
  };
  prompt = definePrompt('work', (own) => {
    const schema = z.object({ what: z.string() });
    own.defTool('look', 'Looks', schema, work, { effect: 'read' });
    own.defTool('pay', 'Pays', schema, work, { effect: 'external' });
    own.defTool('put', 'Puts', schema, work, { effect: 'write', idempotent: true });
    own.$`Work.`;
  }) as never;
});

test('a call that was in progress when the page was closed is made again only if it is safe to repeat', async () => {
  const log = await interrupted([[call('look', 'a'), call('pay', 'b'), call('put', 'c')]], /tool-start.*"c"/);
  const { state, model } = await continueFrom(log, ['Done.']);
  expect(state).toMatchObject({ status: 'done', text: 'Done.' });
  expect(made.toSorted()).toEqual(['a', 'c']);
  expect(state.toolCalls.map(({ toolCallId, state: how }) => [toolCallId, how])).toEqual([
    ['a', 'output-available'],
    ['b', 'output-error'],
    ['c', 'output-available'],
  ]);
  expect(JSON.stringify(model.calls[0]?.prompt)).toContain('It may have taken effect');
});

test('an example continues with the scripted answer of the step that was interrupted, or with the one after its calls', async () => {
  const script = examples[0]!.source;
  const whole = await interrupted([[call('look', 'a')]], /tool-start/);
  const start = whole[0] as Extract<RunEvent, { type: 'run-start' }>;
  const log: RunEvent[] = [{ ...start, model: 'simulated:scripted' }, ...whole.slice(1)];
  await continueFrom(log, ['Done.'], script);
  const beforeCall = log.slice(
    0,
    log.findIndex(({ type }) => type === 'tool-start'),
  );
  await continueFrom(beforeCall, ['Done.'], script);
  expect(page.plays.map((play) => play?.played)).toEqual([[0], []]);
});
