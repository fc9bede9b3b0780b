import { CuelineError, definePrompt, tool, type RunEvent, type SerializedError } from '@cueline/core';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { createErrorHiding } from '../../src/route/hide-errors.ts';
import { all, client, never, testRoute } from './routes.ts';

const secret = 'connect postgres://app:hunter2@db';
const HIDDEN = 'Something failed on this server. Whoever runs it can see what it was.';
const at = { seq: 0, t: 0 };
const call = { ...at, toolCallId: 'c' };
const thrownIn = (words: string): string =>
  `AI_InvalidToolInputError: Invalid input for tool look: AI_TypeValidationError: Type validation failed: Value: {"at":1}.\nError message: ${words}`;
const ended = (error: SerializedError): RunEvent => ({ ...at, type: 'run-end', outcome: 'error', error });
const failed = (error: string): RunEvent => ({ ...call, type: 'tool-error', error });
const subCall = (error: string): RunEvent => ({ ...call, type: 'sub-call-end', index: 0, error, ms: 1 });
const toolEnd = (output: unknown): RunEvent => ({ ...call, type: 'tool-end', output });
const warning = (message: string): RunEvent => ({ ...at, type: 'warning', message });

describe('an event of a run', () => {
  const hidden: [string, RunEvent, RunEvent][] = [
    [
      'an error of the script',
      ended({ code: 'script_error', message: `A hook threw: ${secret}`, details: { at: secret } }),
      ended({ code: 'script_error', message: HIDDEN }),
    ],
    [
      'an agent that ends with one',
      {
        ...at,
        type: 'agent-end',
        outcome: 'error',
        agent: 'c',
        error: { code: 'script_error', message: secret },
      },
      {
        ...at,
        type: 'agent-end',
        outcome: 'error',
        agent: 'c',
        error: { code: 'script_error', message: HIDDEN },
      },
    ],
    [
      'a model that throws itself, of which no provider has said anything',
      { ...at, type: 'retry', error: { code: 'provider_error', message: `The model failed: ${secret}.` } },
      { ...at, type: 'retry', error: { code: 'provider_error', message: HIDDEN } },
    ],
    ['an error that a tool throws', failed(`RangeError: ${secret}`), failed(HIDDEN)],
    ['one of a name with spaces', failed(`My own Error: ${secret}`), failed(HIDDEN)],
    ['one of the AI SDK, which the tool has used', failed(`AI_APICallError: ${secret}`), failed(HIDDEN)],
    ['an object that a tool throws', failed(JSON.stringify({ url: secret })), failed(HIDDEN)],
    ['a schema that throws', failed(thrownIn(`RangeError: ${secret}`)), failed(HIDDEN)],
    ['a call inside a call', subCall(secret), subCall(HIDDEN)],
    ['the arguments of one', subCall(`Invalid arguments for look: ${secret}`), subCall(HIDDEN)],
    ['a callback', warning(`onTurnStart threw: ${secret}`), warning(HIDDEN)],
    ['a call that is tried again', warning(`The model is asked again. ${secret}`), warning(HIDDEN)],
  ];
  test.each(hidden)('hides %s, and tells the server', (_, event, shown) => {
    const told: string[] = [];
    expect(createErrorHiding(({ message }) => told.push(message))(event)).toEqual(shown);
    expect(told).toEqual([expect.stringContaining('hunter2')]);
  });

  const kept: [string, RunEvent][] = [
    ['a provider', ended({ code: 'provider_error', message: 'No.', details: { statusCode: 500 } })],
    ['limits', ended({ code: 'loop_detected', message: 'No.', details: { toolName: 'a', calls: 5 } })],
    ['the words of a CuelineError', failed('Bob is not to be looked at.')],
    ['a refusal', failed('send was not run, because the user did not approve it: Not now.')],
    ['a tool that is none', failed("AI_NoSuchToolError: Model tried to call unavailable tool 'x'.")],
    ['arguments that do not fit', failed(thrownIn('[{"message":"expected string"}]'))],
    [
      'those that are no JSON',
      failed('AI_InvalidToolInputError: Invalid input for tool a: AI_JSONParseError: {'),
    ],
    [
      'a tool that a provider runs',
      { ...call, type: 'tool-error', error: '{"code":1}', providerExecuted: true },
    ],
    ['a call inside a call that names no tool', subCall('many has no tool "x". There are: a.')],
    [
      'a call inside a call that goes well',
      { ...call, type: 'sub-call-end', index: 0, output: secret, ms: 1 },
    ],
    ['what a tool returns', toolEnd({ results: [{ name: 'a', result: { error: 'None found.' } }] })],
    ['a warning of a provider', warning('The model does not fully support topK.')],
    [
      'what was wrong with an answer',
      {
        ...call,
        type: 'request-open',
        requestId: 'r',
        kind: 'approval',
        toolName: 'a',
        input: {},
        fault: 'at: No.',
      },
    ],
    [
      'why a task is not done',
      { ...at, type: 'task-update', taskId: 't', by: 'author', error: 'Too short.' },
    ],
    [
      'what the model is told',
      { ...at, type: 'steer', id: 's', cause: 'output', text: 'at: expected string' },
    ],
  ];
  test.each(kept)('keeps %s', (_, event) => {
    const told: unknown[] = [];
    expect([createErrorHiding((error) => told.push(error))(event), told]).toEqual([event, []]);
  });

  test('that repeats what was hidden hides it, too, and does not tell it again', () => {
    const told: string[] = [];
    const hide = createErrorHiding(({ message }) => told.push(message));
    hide(subCall(secret));
    const results = (error: string) => ({
      results: [
        { name: 'a', result: { error } },
        { name: 'b', result: 1 },
      ],
    });
    expect(hide(toolEnd(results(secret)))).toEqual(toolEnd(results(HIDDEN)));
    expect(hide(toolEnd(`{"error":"${secret}"… [Cut off]`))).toEqual(
      toolEnd(`{"error":"${HIDDEN}"… [Cut off]`),
    );
    const step = (error: string): RunEvent => ({
      ...at,
      type: 'step-start',
      step: 1,
      request: {
        keep: 0,
        messages: [
          {
            role: 'tool',
            content: [
              {
                type: 'tool-result',
                toolCallId: 'c',
                toolName: 'a',
                output: { type: 'json', value: results(error) },
              },
            ],
          },
        ],
      },
    });
    expect(hide(step(secret))).toEqual(step(HIDDEN));
    expect(told).toEqual([secret]);
  });

  test('with the calls of an agent has none of them', () => {
    const error = { code: 'parse_failed' as const, message: 'No.', details: { attempts: 2 } };
    const traced = { ...error, details: { attempts: 2, calls: [{ error: secret }] } };
    expect(createErrorHiding(() => {})(ended(traced))).toEqual(ended(error));
  });
});

describe('a run whose code throws', () => {
  const throws = (): never => {
    throw new RangeError(secret);
  };
  const careless = z.object({ at: z.string().refine(throws) });
  const definition = definePrompt('careless', (prompt) => {
    prompt.defTool('schema', 'Looks', careless, () => 1);
    prompt.defTool('approval', 'Looks', z.object({}), () => 1, { needsApproval: throws });
    prompt.defTool('callback', 'Looks', z.object({}), () => 1, { onSuccess: throws });
    prompt.defTool('many', 'Looks', [
      tool('one', 'Looks', z.object({}), throws),
      tool('other', 'Looks', careless, () => 1),
      tool('last', 'Looks', z.object({}), () => {
        throw new CuelineError('bad_request', secret);
      }),
    ]);
    prompt.defAgent('agent', 'Looks', z.object({}), (_, inner) => {
      inner.$`Look.`;
      inner.defHook(throws);
    });
    prompt.$`Look.`;
  });
  const calls = ['one', 'other', 'last'].map((name) => ({ name, args: { at: 'x' } }));

  test.each([
    ['schema', { at: 'x' }],
    ['approval', {}],
    ['callback', {}],
    ['many', { calls }],
    ['agent', {}],
  ])('in its %s has none of it in its log', async (name, input) => {
    for (const showErrors of [false, true]) {
      const script = [[{ toolCall: { name, input } }], 'Done.', 'Done.'];
      const hub = testRoute(script, { definition, showErrors });
      const log = await all(client(hub).start({ definition, input: undefined }, never()));
      expect(log.at(-1)).toMatchObject({ type: 'run-end', outcome: 'done' });
      expect(JSON.stringify(log).includes('hunter2')).toBe(showErrors);
      const told = hub.told.filter((event) => event.type === 'failed');
      expect(told.length > 0).toBe(!showErrors);
      // the model can try another way
      expect(JSON.stringify(hub.model.calls.at(-1)?.prompt)).toContain('hunter2');
    }
  });
});
