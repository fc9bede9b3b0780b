import { CuelineError, type ErrorSource, type RunEvent, type SerializedError } from '@cueline/core';
import { redactProvider } from './redact-provider.ts';

/** Replaces errors of the server's own code. */
const REDACTED = 'Something failed on this server. Its operator can see the error.';

/** Texts of this length, in characters, are also searched for inside others, such as a truncated result. */
const MIN_SEARCHED_LENGTH = 8;

type Request = Extract<RunEvent, { type: 'step-start' }>['request'];

/**
 * Creates a function that removes the texts of errors which the app's own code threw and did not mean to be read,
 * because they may quote an address, a query or a file. Events have the source of their texts (`source`); texts of
 * Cueline, of a `CuelineError` and of the model's provider stay, without the provider's address. `onHidden` gets the
 * removed ones. One function for each run, because a later event may repeat a removed text.
 */
export function createErrorRedaction(onHidden: (error: Error) => void): (event: RunEvent) => RunEvent {
  /** Hidden texts, with what is shown in their place. */
  const hidden = new Map<string, string>();

  function hide(text: string): string {
    onHidden(new Error(text));
    hidden.set(text, REDACTED);
    return REDACTED;
  }

  function hideError(error: SerializedError, isRetried = false): SerializedError {
    if (isReadable(error)) {
      const shown = redactProvider(error);
      // a call that is tried again has not failed
      if (!isRetried && shown.message !== error.message && !hidden.has(error.message)) {
        onHidden(CuelineError.fromJSON(error));
        hidden.set(error.message, shown.message);
      }
      return withoutCalls({ ...shown, message: cutOut(shown.message) });
    }
    onHidden(CuelineError.fromJSON(error));
    hidden.set(error.message, REDACTED);
    return { code: error.code, message: REDACTED };
  }

  /** Returns a result without the hidden errors of the calls inside it. */
  function withoutHidden(value: unknown, key?: string): unknown {
    if (typeof value === 'string') {
      return ((key === 'error' || key === 'value') && hidden.get(value)) || cutOut(value);
    }
    if (Array.isArray(value)) return value.map((item) => withoutHidden(item));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withoutHidden(item, name)]));
  }

  /** A long result that was truncated is a text, with others as JSON inside it. */
  function cutOut(text: string): string {
    let rest = text;
    for (const [one, shown] of hidden) {
      if (one.length < MIN_SEARCHED_LENGTH) continue;
      rest = rest.replaceAll(one, () => shown).replaceAll(JSON.stringify(one).slice(1, -1), () => shown);
    }
    return rest;
  }

  /** Returns a model request without hidden errors. */
  function withoutErrors(request: Request): Request {
    if (hidden.size === 0) return request;
    return { ...request, messages: withoutHidden(request.messages) as Request['messages'] };
  }

  return (event) => {
    switch (event.type) {
      case 'run-end':
      case 'agent-end':
        return event.error === undefined ? event : { ...event, error: hideError(event.error) };
      case 'retry':
        return { ...event, error: hideError(event.error, true) };
      case 'tool-input-end':
        // its tool-error, which follows, has the source
        return event.invalid === undefined || isOurs(event.source) ? event : { ...event, invalid: REDACTED };
      case 'tool-error':
        // a provider's tool failed at the provider
        if (event.providerExecuted === true || isOurs(event.source)) {
          return { ...event, error: cutOut(event.error) };
        }
        return { ...event, error: hide(event.error) };
      case 'sub-call-end':
        if (event.error === undefined) return event;
        return { ...event, error: isOurs(event.source) ? cutOut(event.error) : hide(event.error) };
      case 'tool-end':
        return hidden.size === 0 ? event : { ...event, output: withoutHidden(event.output) };
      case 'warning':
        return {
          ...event,
          message:
            event.source === undefined || isOurs(event.source) ? cutOut(event.message) : hide(event.message),
        };
      case 'task-update':
        if (event.thrown !== true || typeof event.error !== 'string') return event;
        return { ...event, error: hide(event.error) };
      case 'steer':
        if (hidden.size === 0) return event;
        return {
          ...event,
          text: cutOut(event.text),
          ...(event.parts === undefined ? {} : { parts: withoutHidden(event.parts) as typeof event.parts }),
        };
      case 'step-start':
        return { ...event, request: withoutErrors(event.request) };
      default:
        return event;
    }
  };
}

/** True for texts of Cueline and of the model. A text without a source may come from anywhere. */
function isOurs(source: ErrorSource | undefined): boolean {
  return source === 'cueline' || source === 'model';
}

function isReadable({ code, details, source }: SerializedError): boolean {
  if (source !== undefined) return isOurs(source);
  // a foreign executor may not report sources
  return code !== 'script_error' && (code !== 'provider_error' || details !== undefined);
}

/** Removes from an agent's error how each of its tools failed. */
function withoutCalls(error: SerializedError): SerializedError {
  if (!Array.isArray(error.details?.['calls'])) return error;
  const { calls: _, ...details } = error.details;
  return { ...error, details };
}
