import { createReducer, createRun, definePrompt, reduceAll, type Run } from '@cueline/core';
import { toUIMessageStream } from '@cueline/core/ai-sdk';
import { decodeLog, encodeLog } from '@cueline/core/link';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import { expect } from 'vitest';
import * as z from 'zod';
import { json } from '../support.ts';
import { lastMessage } from './chat.ts';

export type AnyRun = Pick<Run<never>, 'log' | 'getState'>;

/** A step that calls the tool `look`, and perhaps says something before. */
export const look = (what: string, says = ''): ScriptedTurn => [
  ...(says === '' ? [] : [says]),
  { toolCall: { name: 'look', input: { what }, id: `look-${what}` } },
];

export const failure: ScriptedTurn = [{ throw: 'The line is dead.' }];

export function open(turns: readonly ScriptedTurn[]) {
  const looked: string[] = [];
  const research = definePrompt('research', (prompt) => {
    prompt.defSystem('role', 'You look things up.');
    prompt.defTool('look', 'Looks at something', z.object({ what: z.string() }), ({ what }) => {
      looked.push(what);
      return { what, found: true };
    });
    prompt.$`Look around.`;
  });
  const model = scriptedModel(turns);
  const run = createRun(research, { model });
  return { run, model, looked };
}

/** A prompt as the model got it, without what is undefined. */
export const sent = (model: ReturnType<typeof scriptedModel>, call: number): unknown =>
  json(model.calls[call]?.prompt);

/** What holds for every log, whatever was tried again in it. */
export async function expectWhole({ log: read, getState }: AnyRun): Promise<void> {
  const log = read();
  const state = getState();
  expect(log.map(({ seq }) => seq)).toEqual(log.map((_, index) => index));
  expect(log.map(({ t }) => t)).toEqual(log.map(({ t }) => t).toSorted((one, other) => one - other));
  expect(log.filter(({ type }) => type === 'run-start')).toHaveLength(1);
  expect(log.filter(({ type }) => type === 'run-end')).toHaveLength(1);
  const steps = log.flatMap((event) =>
    event.type === 'step-start' && event.agent === undefined ? [event.step] : [],
  );
  expect(steps).toEqual(steps.map((_, index) => index));
  expect(state.steps.map(({ step }) => step)).toEqual(steps);
  expect(reduceAll(log)).toStrictEqual(state);
  expect(decodeLog(encodeLog(log))).toStrictEqual(json(log));
  expect(reduceAll(decodeLog(encodeLog(log)))).toEqual(state);
  for (let cut = 0; cut <= log.length; cut++) {
    const reducer = createReducer(reduceAll(log.slice(0, cut)));
    for (const event of log.slice(cut)) reducer.apply(event);
    expect(reducer.snapshot()).toStrictEqual(state);
  }
  const answer = state.messages.at(-1);
  if (answer?.role === 'assistant')
    expect(json(await lastMessage(toUIMessageStream(log)))).toEqual(json(answer));
}
