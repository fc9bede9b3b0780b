import { CuelineError, type RunEvent, type SerializedError } from '@cueline/core';

/** What is shown in the place of what the server's own code threw. */
const HIDDEN = 'Something failed on this server. Whoever runs it can see what it was.';

/** An error in the words of the class that it is of, as tools throw it; the AI SDK's own say what a model did wrong. */
const thrown = /^(?!AI_)[A-Za-z_$][\w$]*: /;

/**
 * The same event without the words of errors that the prompt's own code threw and did not mean for anybody: they may
 * quote an address, a query or a file. A `CuelineError` is meant to be read. `onHidden` is told what it was.
 */
export function hideErrors(event: RunEvent, onHidden: (error: Error) => void): RunEvent {
  switch (event.type) {
    case 'run-end':
    case 'agent-end':
      return event.error === undefined ? event : { ...event, error: hideError(event.error, onHidden) };
    case 'retry':
      return { ...event, error: hideError(event.error, onHidden) };
    case 'tool-error':
      if (!thrown.test(event.error)) return event;
      onHidden(new Error(event.error));
      return { ...event, error: HIDDEN };
    case 'step-start':
      return { ...event, request: withoutErrors(event.request) };
    default:
      return event;
  }
}

function hideError(error: SerializedError, onHidden: (error: Error) => void): SerializedError {
  if (error.code !== 'script_error') return error;
  onHidden(CuelineError.fromJSON(error));
  return { code: error.code, message: HIDDEN };
}

type Request = Extract<RunEvent, { type: 'step-start' }>['request'];

/** What the model is told of a tool that failed, so that it can try another way. */
function withoutErrors(request: Request): Request {
  const messages = request.messages.map((message) => {
    if (message.role !== 'tool') return message;
    const content = message.content.map((part) =>
      part.type === 'tool-result' && part.output.type === 'error-text' && thrown.test(part.output.value)
        ? { ...part, output: { ...part.output, value: HIDDEN } }
        : part,
    );
    return { ...message, content };
  });
  return { ...request, messages };
}
