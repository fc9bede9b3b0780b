import type { RunEvent } from '../log/events.ts';

/** The limits of events from outside: from a link, a file, a store, or a script in a sandbox. */
export type EventLimits = {
  /** Events of each type that adds an entry, such as steps, calls and tasks. Default 10,000. */
  entries: number;
  /** Variables that are set. Default 20,000. */
  variables: number;
  /** Events of each type that changes an entry. Default 20,000. */
  changes: number;
  /** Pieces of text, reasoning and arguments, and preliminary results, of each type. Default 1,000,000. */
  deltas: number;
  /** Characters of one name or id. Default 10,000. */
  nameLength: number;
  /** Characters of one message about an error, a warning or a task. Default 200,000. */
  messageLength: number;
  /** Characters in one event. Default 8,000,000. */
  eventLength: number;
  /** Values in one event: members and items at any depth. Default 100,000. */
  values: number;
  /** Nesting depth of objects and arrays. Default 100. */
  depth: number;
};

/** The limits of an event stream whose reader sets none. */
export const defaultEventLimits: EventLimits = {
  entries: 10_000,
  variables: 20_000,
  changes: 20_000,
  deltas: 1_000_000,
  nameLength: 10_000,
  messageLength: 200_000,
  eventLength: 8_000_000,
  values: 100_000,
  depth: 100,
};

type Bound = readonly [limit: 'entries' | 'variables' | 'changes' | 'deltas', what: string];

/**
 * The limits of the app's own server, storage or stored text: the same counts, and events as large as a stream may
 * carry. Unknown types are counted, too, because the other side may be newer.
 */
const serverEventLimits: Partial<EventLimits> = {
  nameLength: 17_000_000,
  messageLength: 17_000_000,
  eventLength: 17_000_000,
  values: 1_000_000,
  depth: 1_100,
};

/** Every type of event has a bound, so that a new type cannot be forgotten here. */
const bounds: Record<RunEvent['type'], Bound> = {
  'run-start': ['entries', 'starts'],
  'run-resume': ['entries', 'resumptions'],
  'run-end': ['entries', 'ends'],
  'variable-set': ['variables', 'variables'],
  'variable-unset': ['variables', 'removed variables'],
  hook: ['changes', 'changes of hooks'],
  'step-start': ['entries', 'steps'],
  'model-call-end': ['entries', 'ends of model calls'],
  'step-end': ['entries', 'ends of steps'],
  'text-start': ['entries', 'texts'],
  'text-delta': ['deltas', 'pieces of text'],
  'text-end': ['entries', 'ends of texts'],
  'reasoning-start': ['entries', 'pieces of reasoning'],
  'reasoning-delta': ['deltas', 'pieces of reasoning'],
  'reasoning-end': ['entries', 'ends of reasoning'],
  'tool-input-start': ['entries', 'tool calls'],
  'tool-input-delta': ['deltas', 'pieces of arguments'],
  'tool-input-end': ['entries', 'tool calls'],
  'tool-start': ['entries', 'tool calls'],
  'tool-preliminary': ['deltas', 'preliminary results'],
  'tool-end': ['entries', 'results of tools'],
  'tool-error': ['entries', 'errors of tools'],
  'sub-call-start': ['entries', 'calls inside a tool'],
  'sub-call-end': ['entries', 'ends of calls inside a tool'],
  'agent-start': ['entries', 'agents'],
  'agent-end': ['entries', 'ends of agents'],
  'task-add': ['entries', 'tasks'],
  'task-update': ['changes', 'changes to tasks'],
  'task-move': ['changes', 'moved tasks'],
  'task-remove': ['entries', 'removed tasks'],
  'approval-request': ['entries', 'approvals'],
  'approval-response': ['entries', 'responses to approvals'],
  'approval-withdraw': ['entries', 'withdrawn approvals'],
  'approval-automatic': ['entries', 'automatic approvals'],
  'client-tool-request': ['entries', 'calls of client tools'],
  'client-tool-claim': ['entries', 'claims of client tool calls'],
  'client-tool-response': ['entries', 'responses to client tool calls'],
  'client-tool-withdraw': ['entries', 'withdrawn client tool calls'],
  steer: ['entries', 'reminders'],
  source: ['entries', 'sources'],
  custom: ['entries', 'parts specific to a provider'],
  file: ['entries', 'files'],
  warning: ['entries', 'warnings'],
  retry: ['entries', 'retries'],
};

const unknown: Bound = ['entries', 'events of an unknown type'];

/** True for a type of event that this version knows. */
export function isEventType(type: unknown): type is RunEvent['type'] {
  return typeof type === 'string' && Object.hasOwn(bounds, type);
}

/** Members that are names or ids, outside of plain data. */
const names = [
  'id',
  'name',
  'toolCallId',
  'toolName',
  'taskId',
  'approvalId',
  'clientCallId',
  'messageId',
  'runId',
];
/** Members that are shown as a sentence. */
const messages = ['error', 'message', 'invalid', 'reason', 'fault', 'title', 'result'];

/**
 * Returns a function that counts and measures the events of one log, in order. For the first event that exceeds a
 * limit it returns the excess, such as "more than a thousand tasks", otherwise undefined. Measuring an event costs no
 * more than the limits allow, whatever it contains. Unknown types exceed every limit, unless they are counted.
 */
export function createEventCounter(
  options: Partial<EventLimits> = {},
  { unknownTypes = 'refused' }: { unknownTypes?: 'refused' | 'counted' } = {},
): (event: unknown) => string | undefined {
  const limits = { ...defaultEventLimits, ...options };
  const counts = new Map<string, number>();

  return (event) => {
    const type = (event as { type?: unknown } | null | undefined)?.type;
    const isKnown = isEventType(type);
    if (typeof type !== 'string' || (!isKnown && unknownTypes === 'refused')) {
      return 'an event of an unknown type';
    }
    const [limit, what] = isKnown ? bounds[type] : unknown;
    const kind = isKnown ? type : '';
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    if (count > limits[limit]) return `more than ${formatNumber(limits[limit])} ${what}`;
    return excessIn(event as Record<string, unknown>, limits);
  };
}

/**
 * Does the same for a log that a server, a storage or another tab has: with the limits of a server's run, and for a
 * newer version's types of events, too.
 */
export function createServerEventCounter(): (event: unknown) => string | undefined {
  return createEventCounter(serverEventLimits, { unknownTypes: 'counted' });
}

function excessIn(event: Record<string, unknown>, limits: EventLimits): string | undefined {
  const measured = measure(event, limits);
  if (typeof measured === 'string') return measured;
  const { nameLength, messageLength } = limits;
  // most events are shorter than one name may be
  if (measured > nameLength && names.some((key) => stringLength(event[key]) > nameLength)) {
    return `a name or id of more than ${formatNumber(nameLength)} characters`;
  }
  if (measured > messageLength && hasLongMessage(event, messageLength)) {
    return `a message of more than ${formatNumber(messageLength)} characters`;
  }
  return undefined;
}

function hasLongMessage(event: Record<string, unknown>, limit: number): boolean {
  return [event, event['error'], event['task']].some(
    (part) =>
      typeof part === 'object' &&
      part !== null &&
      messages.some((key) => stringLength((part as Record<string, unknown>)[key]) > limit),
  );
}

/**
 * The number of characters in an event, or the limit that it exceeds. Visits the event level by level, because
 * recursion would overflow on hostile depth.
 */
function measure(event: object, limits: EventLimits): number | string {
  let level: object[] = [event];
  let values = 0;
  let length = 0;
  for (let depth = 0; ; depth += 1) {
    if (depth > limits.depth) return `values more than ${formatNumber(limits.depth)} levels deep`;
    let below: object[] | undefined;
    for (const value of level) {
      for (const key in value) {
        const member = (value as Record<string, unknown>)[key];
        length += key.length + stringLength(member);
        if ((values += 1) > limits.values)
          return `an event of more than ${formatNumber(limits.values)} values`;
        if (length > limits.eventLength) {
          return `an event of more than ${formatNumber(limits.eventLength)} characters`;
        }
        if (typeof member === 'object' && member !== null) (below ??= []).push(member);
      }
    }
    // most events have no level below the first
    if (below === undefined) return length;
    level = below;
  }
}

function stringLength(value: unknown): number {
  return typeof value === 'string' ? value.length : 0;
}

function formatNumber(count: number): string {
  return count.toLocaleString('en');
}
