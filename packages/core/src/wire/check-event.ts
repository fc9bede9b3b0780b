import * as z from 'zod/v4-mini';
import { LOG_VERSION, type RunEvent } from '../log/events.ts';
import { isEventType } from './event-limits.ts';

// Each schema is built when it is first used: building all of them would delay every page that imports this module.

/** Other fields are allowed everywhere: they are only read and shown as data. */
const object = z.object;
const string = z.string();
const number = z.number();
const index = z.int().check(z.nonnegative());
const facts = {
  title: z.optional(string),
  providerExecuted: z.optional(z.boolean()),
  dynamic: z.optional(z.boolean()),
  providerMetadata: z.optional(z.record(string, z.unknown())),
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
    text: z.optional(string),
    state: z.optional(string),
    toolCallId: z.optional(string),
    toolName: z.optional(string),
    errorText: z.optional(string),
    title: z.optional(string),
    url: z.optional(string),
    mediaType: z.optional(string),
    filename: z.optional(string),
  }).check(
    z.refine((fields) => {
      const needed = Object.hasOwn(needs, fields.type) ? needs[fields.type] : undefined;
      return needed === undefined || fields[needed] !== undefined;
    }),
  ),
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
    keep: index,
    messages: z.array(
      object({ role: string, content: z.union([string, z.array(object({ type: string }))]) }),
    ),
    model: z.optional(string),
    instructions: z.optional(string),
    instructionParts: z.optional(
      z.array(object({ kind: z.literal(['variable', 'system']), name: string, start: index, end: index })),
    ),
    tools: z.optional(z.array(object({ name: string, description: z.optional(string) }))),
    settings: z.optional(z.record(string, z.unknown())),
  }),
);

const usage = z.lazy(() =>
  object({
    // JSON has no NaN and writes null
    inputTokens: z.nullish(number),
    outputTokens: z.nullish(number),
    totalTokens: z.nullish(number),
  }),
);

const error = z.lazy(() =>
  object({
    code: string,
    message: string,
    details: z.optional(z.record(string, z.unknown())),
  }),
);

const source = z.lazy(() =>
  z.discriminatedUnion('sourceType', [
    object({ sourceType: z.literal('url'), id: string, url: string, title: z.optional(string) }),
    object({
      sourceType: z.literal('document'),
      id: string,
      mediaType: string,
      title: string,
      filename: z.optional(string),
    }),
  ]),
);

const call = { toolCallId: string };
const edited = z.optional(z.literal(true));
const namedCall = { ...call, toolName: string };
/** The fields that decide about a call without an end. */
const settling = {
  effect: z.optional(z.literal(['read', 'write', 'external'])),
  idempotent: z.optional(z.literal(true)),
};

/** The path of an agent: the ids of tool calls. Has more room than any depth that a run may have. */
const agentPath = z.string().check(
  z.maxLength(10_000),
  z.refine((path) => path.split('/', 501).length <= 500),
);
const byAgent = { agent: agentPath };
/** These events belong to the run itself, and never to an agent. */
const byRun = { agent: z.optional(z.undefined()) };

/** An event with these fields. Each has a time, and those of an agent have its path. */
const event = <Fields extends z.core.$ZodShape>(fields: Fields) =>
  object({ t: number, agent: z.optional(agentPath), ...fields });

const origin = z.literal(['author', 'model', 'user']);
const ofTask = { taskId: string, by: origin };

/** The fields that readers of a log rely on, by type of event. */
const bodies: Record<RunEvent['type'], () => z.ZodMiniType> = {
  'run-start': () =>
    event({
      ...byRun,
      v: z.literal(LOG_VERSION),
      runId: string,
      name: z.optional(string),
      library: z.optional(object({ id: string, version: string, hash: string })),
      model: string,
      simulated: z.optional(z.boolean()),
      messages: z.array(uiMessage),
      turns: z.optional(index),
      messageId: string,
      structured: z.optional(z.literal(true)),
      key: z.optional(string),
    }).check(z.refine(({ messages, turns = 0 }) => turns <= messages.length)),
  'run-resume': () =>
    event({
      ...byRun,
      runId: string,
      model: string,
      simulated: z.optional(z.boolean()),
      key: z.optional(string),
    }),
  'variable-set': () => event({ name: string, kind: z.literal(['text', 'data']), value: string }),
  'variable-unset': () => event({ name: string }),
  hook: () => event({ step: number, index, taskId: z.optional(string), changed: z.array(string) }),
  'step-start': () => event({ step: number, request }),
  'model-call-end': () => event({ finishReason: string, usage }),
  'text-start': () => event({ id: string, edited }),
  'text-delta': () => event({ id: string, text: string }),
  'text-end': () => event({ id: string, citations: z.optional(z.array(object({}))) }),
  'reasoning-start': () => event({ id: string }),
  'reasoning-delta': () => event({ id: string, text: string }),
  'reasoning-end': () => event({ id: string }),
  'tool-input-start': () =>
    event({
      ...namedCall,
      inputEncoding: z.optional(z.literal(['json', 'text'])),
      ...facts,
    }),
  'tool-input-delta': () => event({ ...call, delta: string }),
  'tool-input-end': () => event({ ...namedCall, invalid: z.optional(string), ...facts }),
  'tool-start': () => event({ ...namedCall, ...settling }),
  'tool-preliminary': () => event(call),
  'tool-end': () =>
    event({
      ...call,
      ms: z.optional(number),
      repeated: z.optional(z.literal(true)),
      edited,
      ...facts,
    }),
  'tool-error': () => event({ ...call, error: string, ms: z.optional(number), edited, ...facts }),
  'approval-automatic': () =>
    event({
      ...call,
      approvalId: string,
      approved: z.boolean(),
      reason: z.optional(string),
    }),
  'sub-call-start': () => event({ ...call, index, name: string }),
  'sub-call-end': () =>
    event({
      ...call,
      index,
      error: z.optional(string),
      repeated: z.optional(z.literal(true)),
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
      event({ ...byAgent, outcome: z.literal(['done', 'stopped']), finishReason: z.optional(string) }),
      event({ ...byAgent, outcome: z.literal('error'), finishReason: z.optional(string), error }),
    ]),
  'task-add': () => event({ task: object({ id: string, title: string, origin }), index }),
  'task-update': () =>
    event({
      ...ofTask,
      title: z.optional(string),
      status: z.optional(
        z.literal(['pending', 'in_progress', 'validating', 'completed', 'failed', 'skipped']),
      ),
      attempts: z.optional(index),
      result: z.nullish(string),
      error: z.nullish(string),
    }),
  'task-move': () => event({ ...ofTask, index }),
  'task-remove': () => event(ofTask),
  'approval-request': () =>
    event({
      ...namedCall,
      approvalId: string,
      reason: z.optional(string),
      providerExecuted: z.optional(z.literal(true)),
    }),
  'approval-response': () =>
    event({
      approvalId: string,
      response: z.union([
        object({ approved: z.literal(true) }),
        object({ approved: z.literal(false), reason: z.optional(string) }),
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
      parts: z.optional(z.array(part)),
    }),
  source: () => event({ source }),
  custom: () => event({ kind: string }),
  file: () => event({ mediaType: string, url: string, reasoning: z.optional(z.boolean()) }),
  warning: () => event({ message: string }),
  retry: () =>
    event({
      error,
      attempt: z.optional(number),
      maxAttempts: z.optional(number),
      delayMs: z.optional(number),
      offline: z.optional(z.boolean()),
      usage: z.optional(usage),
    }),
  'step-end': () => event({ step: number, finishReason: string, usage }),
  'run-end': () =>
    z.discriminatedUnion('outcome', [
      event({
        ...byRun,
        outcome: z.literal(['done', 'stopped', 'waiting']),
        finishReason: z.optional(string),
      }),
      event({ ...byRun, outcome: z.literal('error'), finishReason: z.optional(string), error }),
    ]),
};

/** The fields of every event, also of a type that is not known. */
const newerEvent = z.lazy(() => event({ type: string }));

const built = new Map<string, z.ZodMiniType>();

/**
 * True for an event that readers of a log can work with: its type is known, and the fields that they rely on have the
 * right types. Does not check `seq`. Events from outside are checked here and nowhere else.
 */
export function isRunEvent(value: unknown): value is RunEvent {
  const type = (value as { type?: unknown } | null | undefined)?.type;
  return isEventType(type) && schemaOf(type).safeParse(value).success;
}

function schemaOf(type: RunEvent['type']): z.ZodMiniType {
  let schema = built.get(type);
  if (schema === undefined) built.set(type, (schema = bodies[type]()));
  return schema;
}

/**
 * Does the same for events of the app's own server and of its other tabs, and checks `seq`, too. Such an event may have
 * a type that is not known, because the other side may be newer. The reducer ignores it.
 */
export function isServerEvent(value: unknown): value is RunEvent {
  const { seq, type } = (value ?? {}) as { seq?: unknown; type?: unknown };
  if (!Number.isSafeInteger(seq) || (seq as number) < 0) return false;
  return isEventType(type) ? isRunEvent(value) : newerEvent.safeParse(value).success;
}
