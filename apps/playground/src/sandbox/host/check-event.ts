import type { RunEvent } from '@cueline/core';

type Kind = 'string' | 'number' | 'object' | 'array';

/** The fields without which a reader of the log would fail, by event. */
const required: Record<RunEvent['type'], Record<string, Kind>> = {
  'run-start': { runId: 'string', model: 'string', messages: 'array', messageId: 'string' },
  'variable-set': { name: 'string', kind: 'string', value: 'string' },
  'step-start': { step: 'number', request: 'object' },
  'text-start': { id: 'string' },
  'text-delta': { id: 'string', text: 'string' },
  'text-end': { id: 'string' },
  'reasoning-start': { id: 'string' },
  'reasoning-delta': { id: 'string', text: 'string' },
  'reasoning-end': { id: 'string' },
  'tool-input-start': { toolCallId: 'string', toolName: 'string' },
  'tool-input-delta': { toolCallId: 'string', delta: 'string' },
  'tool-input-end': { toolCallId: 'string', toolName: 'string' },
  'tool-start': { toolCallId: 'string', toolName: 'string' },
  'tool-preliminary': { toolCallId: 'string' },
  'tool-end': { toolCallId: 'string' },
  'tool-error': { toolCallId: 'string', error: 'string' },
  source: { source: 'object' },
  file: { mediaType: 'string', url: 'string' },
  warning: { message: 'string' },
  retry: { error: 'object' },
  'step-end': { step: 'number', finishReason: 'string', usage: 'object' },
  'run-end': { outcome: 'string' },
};

/**
 * True for an event that a reader of the log can work with. What comes out of the sandbox is a claim: a script may have
 * bent the worker's own functions.
 */
export function isRunEvent(value: unknown): value is RunEvent {
  if (!isObject(value)) return false;
  const { type, t } = value;
  if (typeof type !== 'string' || !Object.hasOwn(required, type)) return false;
  if (typeof t !== 'number' || !Number.isFinite(t)) return false;
  const fields = Object.entries(required[type as RunEvent['type']]);
  if (!fields.every(([name, kind]) => kindOf(value[name]) === kind)) return false;
  if (type === 'step-start') {
    const { keep, messages } = value['request'] as Record<string, unknown>;
    return typeof keep === 'number' && Array.isArray(messages);
  }
  const error = value['error'];
  return (
    type !== 'run-end' || error === undefined || (isObject(error) && typeof error['message'] === 'string')
  );
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return kindOf(value) === 'object';
}
