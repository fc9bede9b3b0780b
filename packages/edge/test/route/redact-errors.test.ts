import {
  CuelineError,
  definePrompt,
  tool,
  type ErrorSource,
  type Prompt,
  type RunEvent,
  type SerializedError,
} from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { createErrorRedaction } from '../../src/route/redact-errors.ts';
import { all, client, never, post, testRoute } from './routes.ts';

const secret = 'connect postgres://app:hunter2@db';
const HIDDEN = 'Something failed on this server. Its operator can see the error.';
const at = { seq: 0, t: 0 };
const call = { ...at, toolCallId: 'c' };
const ended = (error: SerializedError): RunEvent => ({ ...at, type: 'run-end', outcome: 'error', error });
const failed = (error: string, source?: ErrorSource): RunEvent => ({
  ...call,
  type: 'tool-error',
  error,
  ...(source === undefined ? {} : { source }),
});
const subCall = (error: string, source: ErrorSource = 'tool'): RunEvent => ({
  ...call,
  type: 'sub-call-end',
  index: 0,
  error,
  source,
  ms: 1,
});
const toolEnd = (output: unknown): RunEvent => ({ ...call, type: 'tool-end', output });
const warning = (message: string, source?: ErrorSource): RunEvent => ({
  ...at,
  type: 'warning',
  message,
  ...(source === undefined ? {} : { source }),
});

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
    [
      'what a model of the app’s own throws, whatever it looks like',
      ended({ code: 'bad_request', message: secret, details: { statusCode: 400 }, source: 'unknown' }),
      ended({ code: 'bad_request', message: HIDDEN }),
    ],
    ['what a tool throws', failed(secret, 'tool'), failed(HIDDEN, 'tool')],
    ['an error that does not say whose words it has', failed(secret), failed(HIDDEN)],
    ['a call inside a call', subCall(secret), subCall(HIDDEN)],
    ['a callback', warning(`onTurnStart threw: ${secret}`, 'hook'), warning(HIDDEN, 'hook')],
    ['a call that is tried again', warning(secret, 'unknown'), warning(HIDDEN, 'unknown')],
    [
      'what a validation throws',
      { ...at, type: 'task-update', taskId: 't', by: 'author', error: secret, thrown: true },
      { ...at, type: 'task-update', taskId: 't', by: 'author', error: HIDDEN, thrown: true },
    ],
  ];
  test.each(hidden)('hides %s, and reports it on the server', (_, event, shown) => {
    const told: string[] = [];
    expect(createErrorRedaction(({ message }) => told.push(message))(event)).toEqual(shown);
    expect(told).toEqual([expect.stringContaining('hunter2')]);
  });

  const kept: [string, RunEvent][] = [
    ['a provider', ended({ code: 'provider_error', message: 'No.', details: { statusCode: 500 } })],
    ['limits', ended({ code: 'loop_detected', message: 'No.', details: { toolName: 'a', calls: 5 } })],
    ['the words of a CuelineError, and refusals', failed('Bob is not to be looked at.', 'cueline')],
    ['a call that cannot run', failed('AI_NoSuchToolError: There is no tool x.', 'model')],
    [
      'a tool that a provider runs',
      { ...call, type: 'tool-error', error: '{"code":1}', providerExecuted: true },
    ],
    ['a call inside a call that names no tool', subCall('many has no tool "x". There are: a.', 'model')],
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
        type: 'approval-request',
        approvalId: 'r',
        toolName: 'a',
        input: {},
        reason: 'at: No.',
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
    expect([createErrorRedaction((error) => told.push(error))(event), told]).toEqual([event, []]);
  });

  test('hides a repetition of hidden text, and does not report it again', () => {
    const told: string[] = [];
    const hide = createErrorRedaction(({ message }) => told.push(message));
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
    const steer = (text: string): RunEvent => ({
      ...at,
      type: 'steer',
      id: 's',
      cause: 'user',
      text,
      parts: [
        { type: 'text', text },
        { type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,AA==' },
      ],
    });
    expect(hide(steer(secret))).toEqual(steer(HIDDEN));
    expect(told).toEqual([secret]);
  });

  test('hides them in the calls of an agent', () => {
    const error = { code: 'parse_failed' as const, message: 'No.', details: { attempts: 2 } };
    const traced = { ...error, details: { attempts: 2, calls: [{ error: secret }] } };
    expect(createErrorRedaction(() => {})(ended(traced))).toEqual(ended(error));
  });
});

describe('a run whose code throws', () => {
  const throws = (): never => {
    throw new RangeError(secret);
  };
  /** What JavaScript lets code throw, and what libraries do. */
  const thrown: [string, unknown][] = [
    ['an error', new Error(secret)],
    ['a text', secret],
    ['an object', { message: secret, statusCode: 400, type: 'invalid_request_error' }],
    ['an error without a name', Object.assign(new Error(secret), { name: '' })],
    [
      'an error that looks like a provider’s',
      Object.assign(new Error(secret), { statusCode: 400, type: 'x' }),
    ],
    ['one of the AI SDK', Object.assign(new Error(secret), { name: 'AI_InvalidPromptError' })],
    ['an empty cause', Object.assign(new Error('failed'), { name: secret })],
  ];
  const places: [string, (fail: () => never) => Partial<Parameters<typeof testRoute>[1]> & object][] = [
    ['a prompt function', (fail) => ({ definition: definePrompt('p', fail) })],
    [
      'a tool',
      (fail) => ({
        definition: going((prompt) => prompt.defTool('look', 'Looks', z.object({}), fail)),
      }),
    ],
    ['a hook', (fail) => ({ definition: going((prompt) => prompt.defHook(fail)) })],
    [
      'an extend of a task',
      (fail) => ({
        definition: going((prompt) => prompt.defTaskList([{ task: 'A', extend: fail }])),
      }),
    ],
    [
      'a validation',
      (fail) => ({
        definition: going(
          (prompt) => void prompt.defTaskList([{ task: 'A', validation: fail }], { maxAttempts: 1 }),
        ),
      }),
    ],
    ['stopWhen', (fail) => ({ definition: definePrompt('p', looking), options: { stopWhen: fail } })],
    ['prepareStep', (fail) => ({ definition: definePrompt('p', looking), options: { prepareStep: fail } })],
    [
      'a model',
      (fail) => ({
        definition: definePrompt('p', looking),
        model: { ...scriptedModel([]), doStream: fail },
      }),
    ],
  ];
  const looking = (prompt: Prompt): void => {
    prompt.defTool('look', 'Looks', z.object({}), () => 'seen');
    prompt.$`Look.`;
  };

  function going(define: (prompt: Prompt) => void) {
    return definePrompt('p', (prompt) => {
      define(prompt);
      prompt.$`Go.`;
    });
  }

  describe.each(places)('in %s', (place, make) => {
    // in these forms a model gives what its provider says
    const isProviders = (what: string): boolean => what === 'an object' || what === 'one of the AI SDK';
    test.each(thrown.filter(([what]) => place !== 'a model' || !isProviders(what)))(
      '%s never reaches a client, and is reported on the server',
      async (_what, error) => {
        const given = make(() => {
          throw error;
        });
        const script = [
          [
            { toolCall: { name: 'look', input: {} } },
            { toolCall: { name: 'finishTask', input: { result: 'x' } } },
          ],
          'Done.',
        ];
        const hub = testRoute(script, { ...given, development: false });
        const response = await hub.route(post({ prompt: 'p' }));
        expect(response.status).toBe(200);
        const text = await response.text();
        expect(text).toContain('run-end');
        expect(text).not.toContain('hunter2');
        expect(hub.events).toContainEqual(expect.objectContaining({ type: 'failed' }));
        const chat = testRoute(script, { ...given, development: false });
        const user = { id: 'u', role: 'user', parts: [{ type: 'text', text: 'Go.' }] };
        const answer = await chat.route(post({ id: 'c', trigger: 'submit-message', messages: [user] }));
        expect(await answer.text()).not.toContain('hunter2');
      },
    );
  });

  const careless = z.object({ at: z.string().refine(throws) });
  const definition = definePrompt('careless', (prompt) => {
    prompt.defTool('schema', 'Looks', careless, () => 1);
    prompt.defTool('approval', 'Looks', z.object({}), () => 1, { needsApproval: throws });
    prompt.defTool('callback', 'Looks', z.object({}), () => 1, { onSuccess: throws });
    prompt.defTool('many', 'Looks', [
      tool('one', 'Looks', z.object({}), throws),
      tool('other', 'Looks', careless, () => 1),
      tool('last', 'Looks', z.object({}), () => {
        throw new CuelineError('bad_request', 'Only tomorrow.');
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
  ])('keeps an error in its %s out of its log', async (name, input) => {
    for (const showErrors of [false, true]) {
      const script = [[{ toolCall: { name, input } }], 'Done.', 'Done.'];
      const hub = testRoute(script, { definition, showErrors });
      const log = await all(client(hub).start({ definition, input: undefined }, never()));
      expect(log.at(-1)).toMatchObject({ type: 'run-end', outcome: 'done' });
      expect(JSON.stringify(log).includes('hunter2')).toBe(showErrors);
      const told = hub.events.filter((event) => event.type === 'failed');
      expect(told.length > 0).toBe(!showErrors);
      // the model can try another way
      expect(JSON.stringify(hub.model.calls.at(-1)?.prompt)).toContain('hunter2');
    }
  });
});
