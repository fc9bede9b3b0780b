import {
  runPrompt,
  type RunEvent,
  type RunEventBody,
  type RunPromptResult,
  type RunState,
} from '@cueline/core';
import { toUIMessageStream } from '@cueline/core/ai-sdk';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import { toUIMessageStream as sdkUIMessageStream, type UIMessage, type UIMessageChunk } from 'ai';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { anySaid, anyTaskEvent } from '../log/any-events.ts';
import { go, json, throwing } from '../support.ts';
import { lastMessage } from '../support/chat.ts';

async function chunksOf(events: readonly RunEvent[]): Promise<UIMessageChunk[]> {
  const chunks: UIMessageChunk[] = [];
  for await (const chunk of toUIMessageStream(events)) chunks.push(chunk);
  return chunks;
}

/**
 * The visible content of a message. The AI SDK's reader begins with an empty message and hands a step's mark on only
 * with the first part after it; we have no message and no mark until there is something in them.
 */
function shown(message: UIMessage | undefined): UIMessage['parts'] {
  const parts = json(message?.parts ?? []);
  while (parts.at(-1)?.type === 'step-start') parts.pop();
  return parts;
}

/** The message that a run wrote, as our state has it. */
function ownMessage(state: RunState): UIMessage | undefined {
  return state.messages.findLast((message) => message.role === 'assistant');
}

async function start(turns: readonly ScriptedTurn[]) {
  return runPrompt(
    go((prompt) => {
      prompt.defTool('weather', 'Weather', z.object({ city: z.string() }), ({ city }) => ({
        city,
        sky: 'clear',
      }));
      prompt.defTool('broken', 'Fails', z.object({}), throwing(new Error('out of order')));
      prompt.defTool('nothing', 'Returns nothing', z.object({}), () => undefined);
      prompt.defTool('steps', 'Says how far it is', z.object({}), async function* () {
        yield 'half';
        yield 'whole';
      });
    }),
    { model: scriptedModel(turns), options: { maxRetries: 0 } },
  );
}

const runs: Record<string, readonly ScriptedTurn[]> = {
  text: [[{ text: 'One two three.', chunkSize: 4 }]],
  'two texts in one step': [[{ text: 'One.' }, { text: 'Two.' }]],
  'reasoning, then text': [[{ reasoning: 'Hm, let me see.', chunkSize: 3 }, 'So be it.']],
  'a tool and an answer': [
    ['Look: ', { toolCall: { name: 'weather', input: { city: 'Porto' } }, chunkSize: 5 }],
    'Clear.',
  ],
  'two tools at once': [
    [
      { toolCall: { name: 'weather', input: { city: 'Porto' } } },
      { toolCall: { name: 'weather', input: { city: 'Faro' } } },
    ],
    'Both clear.',
  ],
  'a tool that fails': [[{ toolCall: { name: 'broken', input: {} } }], 'It is out of order.'],
  'a tool that returns nothing': [[{ toolCall: { name: 'nothing', input: {} } }], 'Fine.'],
  'an id that is used again': [
    [{ toolCall: { name: 'weather', input: { city: 'Porto' }, id: 'call_0' } }],
    [{ toolCall: { name: 'weather', input: { city: 'Faro' }, id: 'call_0' } }],
    'Both clear.',
  ],
  'a tool that reports progress': [[{ toolCall: { name: 'steps', input: {} } }], 'Whole.'],
  'invalid arguments': [[{ toolCall: { name: 'weather', input: { town: 1 } } }], 'Sorry.'],
  'an unknown tool': [[{ toolCall: { name: 'teleport', input: { to: 'Mars' } } }], 'Sorry.'],
  'an error in the middle': [['Half a sent', { error: { message: 'overheated' } }]],
  'an error before the first word': [[{ throw: { message: 'no such model', status: 404 } }]],
  'an error in the second step': [
    [{ toolCall: { name: 'weather', input: { city: 'Porto' } } }],
    [{ throw: 'gone' }],
  ],
  'an empty answer': [[{ finish: { reason: 'stop' } }]],
};

describe('the AI SDK reads the same messages from the stream as our state has', () => {
  for (const [name, turns] of Object.entries(runs)) {
    test(name, async () => {
      const { run } = await start(turns);
      const state = await run.finished;
      const own = ownMessage(state);
      const read = await lastMessage(toUIMessageStream(run.log()));
      expect(shown(read)).toEqual(shown(own));
      if (own !== undefined) expect(own.id).toBe(read?.id);

      // the same script once more, through the AI SDK's own path from result to message
      const again = await start(turns);
      const theirs = await lastMessage(sdkUIMessageStream({ stream: again.result.stream }));
      expect(shown(ownMessage(await again.run.finished))).toEqual(shown(theirs));
    });
  }

  test('a model that is asked to continue', async () => {
    const listed = (): Promise<RunPromptResult> =>
      runPrompt(
        go((prompt) => prompt.defTaskList([{ task: 'Add 5 and 3' }])),
        {
          model: scriptedModel([
            'I am done.',
            [{ toolCall: { name: 'finishTask', input: { result: '8' } } }],
            'Eight.',
          ]),
        },
      );
    const { run } = await listed();
    const own = ownMessage(await run.finished);
    expect(own?.parts.map(({ type }) => type)).toContain('steering-message');
    expect(shown(await lastMessage(toUIMessageStream(run.log())))).toEqual(shown(own));
    const again = await listed();
    const theirs = await lastMessage(sdkUIMessageStream({ stream: again.result.stream }));
    expect(shown(ownMessage(await again.run.finished))).toEqual(shown(theirs));
  });

  test('agents, tasks, requests and sub-calls add no parts', async () => {
    const { run } = await start(runs['a tool and an answer']!);
    await run.finished;
    const alone = await chunksOf(run.log());
    const others = fc.oneof(
      anySaid.filter(({ agent }) => agent !== undefined),
      anyTaskEvent,
      fc.constant<RunEventBody>({
        type: 'sub-call-start',
        toolCallId: 'c',
        index: 0,
        name: 'read',
        input: {},
      }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.nat(), others), { maxLength: 20 }), async (said) => {
        const events = [...run.log()];
        for (const [at, body] of said) events.splice(at % events.length, 0, { seq: 0, t: 0, ...body });
        expect(await chunksOf(events)).toEqual(alone);
      }),
      { numRuns: 50 },
    );
  });

  test('a run that is stopped in the middle of a text and of a tool call', async () => {
    const kinds: readonly ScriptedTurn[] = [
      [{ text: 'One two three four five.', chunkSize: 4 }, { delay: 5_000 }],
      [
        { toolCall: { name: 'weather', input: { city: 'A city with a long name' } }, chunkSize: 3 },
        { delay: 5_000 },
      ],
    ];
    const deltas = { 0: 'text-delta', 1: 'tool-input-delta' } as const;
    for (const [index, turn] of kinds.entries()) {
      const { run } = await start([turn]);
      let seen = 0;
      run.listen((event) => {
        if (event.type === deltas[index as 0 | 1] && ++seen === 3) run.stop();
      });
      const state = await run.finished;
      expect(state.status).toBe('stopped');
      expect(seen).toBe(3);
      expect(await lastMessage(toUIMessageStream(run.log())).then(json)).toEqual(json(ownMessage(state)));
    }
  });

  test('a live run can be streamed from the start or from any event', async () => {
    const { run } = await start(runs['a tool and an answer']!);
    const message = await lastMessage(toUIMessageStream(run.events()));
    expect(json(message)).toEqual(json(ownMessage(run.getState())));
    const rest: RunEvent[] = [];
    for await (const event of run.events(4)) rest.push(event);
    expect(rest[0]?.seq).toBe(5);
    expect(rest.at(-1)?.type).toBe('run-end');
  });
});
