import type { RunEvent, SerializedError } from '@cueline/core';

/**
 * Returns the event without the content of requests: a step's request keeps only its model, a variable, which
 * is part of the system prompt, only its name, and a failed agent has no conversation. Steps are still counted
 * and timed.
 */
export function redactRequests(event: RunEvent): RunEvent {
  switch (event.type) {
    case 'step-start': {
      const { model } = event.request;
      return { ...event, request: { keep: 0, messages: [], ...(model === undefined ? {} : { model }) } };
    }
    case 'variable-set':
      return { ...event, value: '' };
    case 'run-end':
    case 'agent-end':
      return event.error === undefined ? event : { ...event, error: withoutDialog(event.error) };
    case 'retry':
      return { ...event, error: withoutDialog(event.error) };
    default:
      return event;
  }
}

/** Removes the conversation from an agent's error. */
function withoutDialog(error: SerializedError): SerializedError {
  if (error.details?.['dialog'] === undefined) return error;
  const { dialog: _, ...details } = error.details;
  return { ...error, details };
}
