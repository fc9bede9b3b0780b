import process from 'node:process';
import { definePrompt, type PromptDefinition } from '@cueline/core';
import type { scriptedModel, ScriptedTurn } from '@cueline/core/testing';
import * as z from 'zod';
import { after, planned, type Effects } from './prompts.ts';

/** Called at each place at which a test may kill the process, such as `in write`. */
export type Reach = (place: string) => void;

export type PromptSettings = {
  effects: Effects;
  reach?: Reach;
  /** How long tools and answers take, in milliseconds. */
  ms?: number;
};

const calls = (...made: [name: string, input: object][]): ScriptedTurn =>
  made.map(([name, input]) => ({ toolCall: { name, input } }));

/** The tools of {@link everyEffect}, and whether each may start again after its process was killed. */
export const everyTool = { fast: false, write: false, read: true, unset: false, idempotent: true };

/** A prompt that calls a tool of each effect, all at once, and then answers `All done.`. */
export function everyEffect({ effects, reach = () => {}, ms = 0 }: PromptSettings): PromptDefinition<void> {
  const turns = [
    calls(...Object.keys(everyTool).map((name): [string, object] => [name, { on: name }])),
    'All done.',
  ];
  const settings = {
    fast: { effect: 'write' },
    write: { effect: 'write' },
    read: { effect: 'read' },
    unset: {},
    idempotent: { effect: 'external', idempotent: true },
  } as const;
  return definePrompt(
    'everyEffect',
    (prompt) => {
      prompt.$`Do everything.`;
      for (const [name, options] of Object.entries(settings)) {
        prompt.defTool(
          name,
          name,
          z.object({ on: z.string() }),
          async (_args, { idempotencyKey }) => {
            effects.note(`${name} ${idempotencyKey}`);
            if (name !== 'fast') await after(ms);
            reach(`in ${name}`);
            return `${name} is done`;
          },
          options,
        );
      }
    },
    { model: slowModel(turns, { effects, reach, ms }) },
  );
}

/** A prompt whose agent makes two notes. Then it works on a list of two tasks. */
export function treeAndTasks({ effects, reach = () => {} }: PromptSettings): PromptDefinition<void> {
  const helper = [calls(['note', { what: 'a' }]), calls(['note', { what: 'b' }]), 'Noted.'];
  const one = [calls(['helper', {}]), calls(['finishTask', { result: 'one' }])];
  const two = [calls(['finishTask', { result: 'two' }]), 'All done.'];
  // the messages of a task do not contain the answers of earlier tasks
  const [first, second] = [planned(one), planned(two)];
  const parent: typeof first = {
    ...first,
    doStream: (call) => (JSON.stringify(call.prompt).includes('[Task 1/2]') ? first : second).doStream(call),
  };
  const models = [planned(helper), parent] as const;
  const model: (typeof models)[0] = {
    ...models[0],
    doStream: (call) => {
      effects.note('model');
      return models[JSON.stringify(call.prompt[0]).includes('You are the helper') ? 0 : 1].doStream(call);
    },
  };
  return definePrompt(
    'treeAndTasks',
    (prompt) => {
      prompt.$`Ask the helper.`;
      prompt.defAgent('helper', 'Helps', z.object({}), (_args, inner) => {
        inner.$`You are the helper.`;
        inner.defTool(
          'note',
          'Note',
          z.object({ what: z.string() }),
          ({ what }, { idempotencyKey }) => {
            effects.note(`note-${what} ${idempotencyKey}`);
            reach(`in note ${what}`);
            return 'noted';
          },
          { effect: 'write' },
        );
      });
      prompt.defTaskList([{ task: 'Do one' }, { task: 'Do two' }]);
    },
    { model },
  );
}

/** A prompt that makes the same call again and again. */
export function sameAgain({ effects, ms = 0 }: PromptSettings): PromptDefinition<void> {
  const model = planned(Array<ScriptedTurn>(20).fill(calls(['look', { at: 'it' }])), {
    onCall: () => effects.note('model'),
  });
  return definePrompt(
    'sameAgain',
    (prompt) => {
      prompt.$`Look.`;
      prompt.defTool('look', 'Look', z.object({ at: z.string() }), async () => {
        await after(ms);
        return 'seen';
      });
    },
    { model },
  );
}

/** A prompt whose function ends its process. */
export function endsProcess({ effects }: PromptSettings): PromptDefinition<void> {
  return definePrompt(
    'endsProcess',
    () => {
      effects.note('end of a process');
      process.exit(1);
    },
    { model: planned([]) },
  );
}

type Answer = Awaited<ReturnType<ReturnType<typeof scriptedModel>['doStream']>>;
type StreamPart = Answer['stream'] extends ReadableStream<infer Part> ? Part : never;

/** Returns a model that reaches `in answer` in the middle of its second answer. */
function slowModel(
  turns: readonly ScriptedTurn[],
  { effects, reach = () => {}, ms = 0 }: PromptSettings,
): ReturnType<typeof scriptedModel> {
  const model = planned(turns, { delay: Math.min(ms, 20) });
  return {
    ...model,
    async doStream(call) {
      effects.note('model');
      const answer = await model.doStream(call);
      const isSecond = call.prompt.some(({ role }) => role === 'assistant');
      let texts = 0;
      const stream = answer.stream.pipeThrough(
        new TransformStream<StreamPart, StreamPart>({
          async transform(part, controller) {
            controller.enqueue(part);
            if (!isSecond || part.type !== 'text-delta' || (texts += 1) !== 2) return;
            // in this time, the text so far is stored
            await after(30);
            reach('in answer');
          },
        }),
      );
      return { ...answer, stream };
    },
  };
}
