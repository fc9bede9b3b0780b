import type { RunEvent, SerializedError } from '@cueline/core';

/**
 * The same event without what the model is sent: of a step's request only the model is left, of a variable, which stands
 * in the system prompt, only its name, and of an agent that fails no conversation. Steps count and are timed all the same.
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

/** An agent that was called tells whoever called it all that was said. */
function withoutDialog(error: SerializedError): SerializedError {
  if (error.details?.['dialog'] === undefined) return error;
  const { dialog: _, ...details } = error.details;
  return { ...error, details };
}
