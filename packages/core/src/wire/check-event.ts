import * as z from 'zod/v4';
import { LOG_VERSION, type RunEvent } from '../log/events.ts';

// Each schema is built when it is first used: building all of them would delay every page that imports this module.

/** Other fields are allowed everywhere: they are only read and shown as data. */
const object = z.object;
const string = z.string();
const number = z.number();
const facts = {
  title: string.optional(),
  providerExecuted: z.boolean().optional(),
  dynamic: z.boolean().optional(),
  providerMetadata: z.record(string, z.unknown()).optional(),
};

/** The field without which a part of some kinds cannot be shown. */
const needs: Partial<Record<string, 'text' | 'mediaType' | 'url' | 'title' | 'toolName'>> = {
  text: 'text',
  reasoning: 'text',
  file: 'mediaType',
  'source-url': 'url',
  'source-document': 'title',
  'dynamic-tool': 'toolName',
};
const part = z.lazy(() =>
  object({
    type: string,
    text: string.optional(),
    state: string.optional(),
    toolCallId: string.optional(),
    toolName: string.optional(),
    errorText: string.optional(),
    title: string.optional(),
    url: string.optional(),
    mediaType: string.optional(),
    filename: string.optional(),
  }).refine((fields) => {
    const needed = Object.hasOwn(needs, fields.type) ? needs[fields.type] : undefined;
    return needed === undefined || fields[needed] !== undefined;
  }),
);
/** The fields of a message that readers of a log use. */
const uiMessage = z.lazy(() =>
  object({
    id: string,
    role: z.literal(['user', 'assistant', 'system']),
    parts: z.array(part),
  }),
);

const request = z.lazy(() =>
  object({
    keep: number.int().nonnegative(),
    messages: z.array(
      object({ role: string, content: z.union([string, z.array(object({ type: string }))]) }),
    ),
    model: string.optional(),
    instructions: string.optional(),
    instructionParts: z
      .array(
        object({
          kind: z.literal(['variable', 'system']),
          name: string,
          start: number.int().nonnegative(),
          end: number.int().nonnegative(),
        }),
      )
      .optional(),
    tools: z.array(object({ name: string, description: string.optional() })).optional(),
    settings: z.record(string, z.unknown()).optional(),
  }),
);

const usage = z.lazy(() =>
  object({
    // JSON has no NaN and writes null
    inputTokens: number.nullish(),
    outputTokens: number.nullish(),
    totalTokens: number.nullish(),
  }),
);

const error = z.lazy(() =>
  object({
    code: string,
    message: string,
    details: z.record(string, z.unknown()).optional(),
  }),
);

const source = z.lazy(() =>
  z.discriminatedUnion('sourceType', [
    object({ sourceType: z.literal('url'), id: string, url: string, title: string.optional() }),
    object({
      sourceType: z.literal('document'),
      id: string,
      mediaType: string,
      title: string,
      filename: string.optional(),
    }),
  ]),
);

const call = { toolCallId: string };
const edited = z.literal(true).optional();
const namedCall = { ...call, toolName: string };
const index = number.int().nonnegative();
/** The fields that decide about a call without an end. */
const settling = {
  effect: z.literal(['read', 'write', 'external']).optional(),
  idempotent: z.literal(true).optional(),
};

/** A path of tool calls. The limit is above any depth that a run may have. */
const agentPath = string.max(1_000);
const byAgent = { agent: agentPath };
/** These events belong to the run itself, and never to an agent. */
const byRun = { agent: z.undefined().optional() };

/** An event with these fields. Each has a time, and those of an agent have its path. */
const event = <Fields extends z.ZodRawShape>(fields: Fields) =>
  object({ t: number, agent: agentPath.optional(), ...fields });

const origin = z.literal(['author', 'model', 'user']);
const ofTask = { taskId: string, by: origin };

/** The fields that readers of a log rely on, by type of event. */
const bodies: Record<RunEvent['type'], () => z.ZodType> = {
  'run-start': () =>
    event({
      ...byRun,
      v: z.literal(LOG_VERSION),
      runId: string,
      name: string.optional(),
      library: object({ id: string, version: string, hash: string }).optional(),
      model: string,
      simulated: z.boolean().optional(),
      messages: z.array(uiMessage),
      turns: index.optional(),
      messageId: string,
      structured: z.literal(true).optional(),
      key: string.optional(),
    }).refine(({ messages, turns = 0 }) => turns <= messages.length),
  'run-resume': () =>
    event({
      ...byRun,
      runId: string,
      model: string,
      simulated: z.boolean().optional(),
      key: string.optional(),
    }),
  'variable-set': () => event({ name: string, kind: z.literal(['text', 'data']), value: string }),
  'variable-unset': () => event({ name: string }),
  hook: () => event({ step: number, index, taskId: string.optional(), changed: z.array(string) }),
  'step-start': () => event({ step: number, request }),
  'model-call-end': () => event({ finishReason: string, usage }),
  'text-start': () => event({ id: string, edited }),
  'text-delta': () => event({ id: string, text: string }),
  'text-end': () => event({ id: string, citations: z.array(object({})).optional() }),
  'reasoning-start': () => event({ id: string }),
  'reasoning-delta': () => event({ id: string, text: string }),
  'reasoning-end': () => event({ id: string }),
  'tool-input-start': () =>
    event({
      ...namedCall,
      inputEncoding: z.literal(['json', 'text']).optional(),
      ...facts,
    }),
  'tool-input-delta': () => event({ ...call, delta: string }),
  'tool-input-end': () => event({ ...namedCall, invalid: string.optional(), ...facts }),
  'tool-start': () => event({ ...namedCall, ...settling }),
  'tool-preliminary': () => event(call),
  'tool-end': () =>
    event({
      ...call,
      ms: number.optional(),
      repeated: z.literal(true).optional(),
      edited,
      ...facts,
    }),
  'tool-error': () => event({ ...call, error: string, ms: number.optional(), edited, ...facts }),
  'approval-automatic': () =>
    event({
      ...call,
      approvalId: string,
      approved: z.boolean(),
      reason: string.optional(),
    }),
  'sub-call-start': () => event({ ...call, index, name: string }),
  'sub-call-end': () =>
    event({
      ...call,
      index,
      error: string.optional(),
      repeated: z.literal(true).optional(),
      ms: number,
    }),
  'agent-start': () =>
    event({
      ...byAgent,
      ...call,
      name: string,
      model: string,
      messages: z.array(uiMessage),
      messageId: string,
    }),
  'agent-end': () =>
    z.discriminatedUnion('outcome', [
      event({ ...byAgent, outcome: z.literal(['done', 'stopped']), finishReason: string.optional() }),
      event({ ...byAgent, outcome: z.literal('error'), finishReason: string.optional(), error }),
    ]),
  'task-add': () => event({ task: object({ id: string, title: string, origin }), index }),
  'task-update': () =>
    event({
      ...ofTask,
      title: string.optional(),
      status: z
        .literal(['pending', 'in_progress', 'validating', 'completed', 'failed', 'skipped'])
        .optional(),
      attempts: index.optional(),
      result: string.nullish(),
      error: string.nullish(),
    }),
  'task-move': () => event({ ...ofTask, index }),
  'task-remove': () => event(ofTask),
  'approval-request': () =>
    event({
      ...namedCall,
      approvalId: string,
      reason: string.optional(),
      providerExecuted: z.literal(true).optional(),
    }),
  'approval-response': () =>
    event({
      approvalId: string,
      response: z.union([
        object({ approved: z.literal(true) }),
        object({ approved: z.literal(false), reason: string.optional() }),
      ]),
    }),
  'approval-withdraw': () => event({ approvalId: string }),
  'client-tool-request': () =>
    event({
      ...namedCall,
      clientCallId: string,
      ...settling,
    }),
  'client-tool-claim': () => event({ clientCallId: string, page: string }),
  'client-tool-response': () =>
    event({
      clientCallId: string,
      response: z.union([object({ output: z.unknown() }), object({ error: string })]),
    }),
  'client-tool-withdraw': () => event({ clientCallId: string }),
  steer: () =>
    event({
      id: string,
      cause: z.literal(['tasks', 'output', 'session', 'call', 'correction', 'user']),
      text: string,
    }),
  source: () => event({ source }),
  custom: () => event({ kind: string }),
  file: () => event({ mediaType: string, url: string, reasoning: z.boolean().optional() }),
  warning: () => event({ message: string }),
  retry: () =>
    event({
      error,
      attempt: number.optional(),
      maxAttempts: number.optional(),
      delayMs: number.optional(),
      offline: z.boolean().optional(),
      usage: usage.optional(),
    }),
  'step-end': () => event({ step: number, finishReason: string, usage }),
  'run-end': () =>
    z.discriminatedUnion('outcome', [
      event({
        ...byRun,
        outcome: z.literal(['done', 'stopped', 'waiting']),
        finishReason: string.optional(),
      }),
      event({ ...byRun, outcome: z.literal('error'), finishReason: string.optional(), error }),
    ]),
};

const built = new Map<string, z.ZodType>();

function schemaOf(type: RunEvent['type']): z.ZodType {
  let schema = built.get(type);
  if (schema === undefined) built.set(type, (schema = bodies[type]()));
  return schema;
}

/**
 * True for an event that readers of a log can work with: its type is known, and the fields that they rely on have the
 * right types. Does not check `seq`. Links, storages and sandboxed workers have their events checked here and nowhere
 * else.
 */
export function isRunEvent(value: unknown): value is RunEvent {
  const type = (value as { type?: unknown } | null | undefined)?.type;
  if (typeof type !== 'string' || !Object.hasOwn(bodies, type)) return false;
  return schemaOf(type as RunEvent['type']).safeParse(value).success;
}
