import * as z from 'zod/v4';
import { LOG_VERSION, type RunEvent } from '../log/events.ts';

// Each schema is built when it is first used: building all of them would delay every page that imports this module.

/** The schemas are loose: other fields are only read and shown as data. */
const object = z.looseObject;
const string = z.string();
const number = z.number();
const facts = {
  title: string.optional(),
  providerExecuted: z.boolean().optional(),
  dynamic: z.boolean().optional(),
  providerMetadata: z.record(string, z.unknown()).optional(),
};

/** The field without which a part of some kinds cannot be shown. */
const needs: Partial<Record<string, string>> = {
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

const origin = z.literal(['author', 'model', 'user']);
const ofTask = { taskId: string, by: origin };

/** The fields that readers of a log rely on, by type of event. */
const bodies: Record<RunEvent['type'], () => z.ZodType> = {
  'run-start': () =>
    object({
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
    object({
      ...byRun,
      runId: string,
      model: string,
      simulated: z.boolean().optional(),
      key: string.optional(),
    }),
  'variable-set': () => object({ name: string, kind: z.literal(['text', 'data']), value: string }),
  'variable-unset': () => object({ name: string }),
  hook: () => object({ step: number, index, taskId: string.optional(), changed: z.array(string) }),
  'step-start': () => object({ step: number, request }),
  'model-call-end': () => object({ finishReason: string, usage }),
  'text-start': () => object({ id: string, edited }),
  'text-delta': () => object({ id: string, text: string }),
  'text-end': () => object({ id: string, citations: z.array(object({})).optional() }),
  'reasoning-start': () => object({ id: string }),
  'reasoning-delta': () => object({ id: string, text: string }),
  'reasoning-end': () => object({ id: string }),
  'tool-input-start': () =>
    object({
      ...namedCall,
      inputEncoding: z.literal(['json', 'text']).optional(),
      ...facts,
    }),
  'tool-input-delta': () => object({ ...call, delta: string }),
  'tool-input-end': () => object({ ...namedCall, invalid: string.optional(), ...facts }),
  'tool-start': () => object({ ...namedCall, ...settling }),
  'tool-preliminary': () => object(call),
  'tool-end': () =>
    object({
      ...call,
      ms: number.optional(),
      repeated: z.literal(true).optional(),
      edited,
      ...facts,
    }),
  'tool-error': () => object({ ...call, error: string, ms: number.optional(), edited, ...facts }),
  'approval-automatic': () =>
    object({
      ...call,
      approvalId: string,
      approved: z.boolean(),
      reason: string.optional(),
    }),
  'sub-call-start': () => object({ ...call, index, name: string }),
  'sub-call-end': () =>
    object({
      ...call,
      index,
      error: string.optional(),
      repeated: z.literal(true).optional(),
      ms: number,
    }),
  'agent-start': () =>
    object({
      ...byAgent,
      ...call,
      name: string,
      model: string,
      messages: z.array(uiMessage),
      messageId: string,
    }),
  'agent-end': () =>
    z.discriminatedUnion('outcome', [
      object({ ...byAgent, outcome: z.literal(['done', 'stopped']), finishReason: string.optional() }),
      object({ ...byAgent, outcome: z.literal('error'), finishReason: string.optional(), error }),
    ]),
  'task-add': () => object({ task: object({ id: string, title: string, origin }), index }),
  'task-update': () =>
    object({
      ...ofTask,
      title: string.optional(),
      status: z
        .literal(['pending', 'in_progress', 'validating', 'completed', 'failed', 'skipped'])
        .optional(),
      attempts: index.optional(),
      result: string.nullish(),
      error: string.nullish(),
    }),
  'task-move': () => object({ ...ofTask, index }),
  'task-remove': () => object(ofTask),
  'approval-request': () =>
    object({
      ...namedCall,
      approvalId: string,
      reason: string.optional(),
      providerExecuted: z.literal(true).optional(),
    }),
  'approval-response': () =>
    object({
      approvalId: string,
      response: z.union([
        object({ approved: z.literal(true) }),
        object({ approved: z.literal(false), reason: string.optional() }),
      ]),
    }),
  'approval-withdraw': () => object({ approvalId: string }),
  'client-tool-request': () =>
    object({
      ...namedCall,
      clientCallId: string,
      ...settling,
    }),
  'client-tool-claim': () => object({ clientCallId: string, page: string }),
  'client-tool-response': () =>
    object({
      clientCallId: string,
      response: z.union([object({ output: z.unknown() }), object({ error: string })]),
    }),
  'client-tool-withdraw': () => object({ clientCallId: string }),
  steer: () =>
    object({
      id: string,
      cause: z.literal(['tasks', 'output', 'session', 'call', 'correction', 'user']),
      text: string,
    }),
  source: () => object({ source }),
  custom: () => object({ kind: string }),
  file: () => object({ mediaType: string, url: string, reasoning: z.boolean().optional() }),
  warning: () => object({ message: string }),
  retry: () =>
    object({
      error,
      attempt: number.optional(),
      maxAttempts: number.optional(),
      delayMs: number.optional(),
      offline: z.boolean().optional(),
      usage: usage.optional(),
    }),
  'step-end': () => object({ step: number, finishReason: string, usage }),
  'run-end': () =>
    z.discriminatedUnion('outcome', [
      object({
        ...byRun,
        outcome: z.literal(['done', 'stopped', 'waiting']),
        finishReason: string.optional(),
      }),
      object({ ...byRun, outcome: z.literal('error'), finishReason: string.optional(), error }),
    ]),
};

const built = new Map<string, z.ZodType>();

function schemaOf(type: RunEvent['type']): z.ZodType {
  let schema = built.get(type);
  if (schema === undefined) built.set(type, (schema = bodies[type]()));
  return schema;
}

const commonFields = object({ type: string, t: number, agent: agentPath.optional() });

/**
 * True for an event that readers of a log can work with: its type is known, and the fields that they rely on have the
 * right types. Does not check `seq`. Links, storages and sandboxed workers have their events checked here and nowhere
 * else.
 */
export function isRunEvent(value: unknown): value is RunEvent {
  const common = commonFields.safeParse(value);
  if (!common.success) return false;
  const { type } = common.data;
  return Object.hasOwn(bodies, type) && schemaOf(type as RunEvent['type']).safeParse(value).success;
}
