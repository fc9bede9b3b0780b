import { CuelineError, type RunEvent, type SerializedError } from '@cueline/core';

/** What is shown in the place of what the server's own code threw. */
const HIDDEN = 'Something failed on this server. Whoever runs it can see what it was.';

/**
 * An error in the words of the class that it is of, or an object that was thrown. A `CuelineError` comes without its
 * class.
 */
const thrown = /^(?:[{[]|[A-Za-z_$][\w$]*: |[^\n:]*(?:Error|Exception): )/;
/** What a model did wrong, in the AI SDK's words. */
const modelFault = /^AI_(?:InvalidToolInput|NoSuchTool)Error: /;
/**
 * The same where the schema itself failed: what it finds wrong with a value is a list. In two, as a client can make a
 * text up that one of both would go through again from each of its words.
 */
const typeFault = /^AI_InvalidToolInputError: [^\n]*?: AI_TypeValidationError: /;
const schemaWords = /\nError message: (?!\[|CuelineError: )/;
/** Of what a composite tool says of one of its calls, all that no code of the prompt's can have said. */
const ownWords = /^\S+ has no tool "|^\S+ was not run: this is call \d+ with the same arguments\./;
const warned = /\bthrew: |^The model is asked again\. (?=.)/;
/** From here on, in characters, a text is looked for inside others: those of a result that was cut. */
const UNMISTAKABLE = 8;

type Request = Extract<RunEvent, { type: 'step-start' }>['request'];
type ResultPart = { type: string; output?: { type: string; value?: unknown } };

/**
 * Makes the same events without the words of errors that the prompt's own code threw and did not mean for anybody: they
 * may quote an address, a query or a file. A `CuelineError` is meant to be read, except that of a call inside a
 * composite tool, since the log does not tell it from others there. `onHidden` is told what it was. One for each run,
 * since a later event may repeat what was hidden.
 */
export function createErrorHiding(onHidden: (error: Error) => void): (event: RunEvent) => RunEvent {
  const hidden = new Set<string>();

  function hide(text: string): string {
    onHidden(new Error(text));
    hidden.add(text);
    return HIDDEN;
  }

  function hideError(error: SerializedError): SerializedError {
    // a provider that says what is wrong has a status, or a type
    const isForeign = error.code === 'provider_error' && error.details === undefined;
    if (error.code !== 'script_error' && !isForeign) return withoutCalls(error);
    onHidden(CuelineError.fromJSON(error));
    hidden.add(error.message);
    return { code: error.code, message: HIDDEN };
  }

  /** True for what was thrown, and for an agent's call that failed of what was hidden as the agent's end. */
  function isThrown(text: string): boolean {
    if (modelFault.test(text)) return isSchemaFault(text);
    return thrown.test(text) || [...hidden].some((one) => text === one || text.endsWith(`: ${one}`));
  }

  /** A result without what was hidden of the calls inside it. */
  function withoutHidden(value: unknown, key?: string): unknown {
    if (typeof value === 'string') return key === 'error' && hidden.has(value) ? HIDDEN : cutOut(value);
    if (Array.isArray(value)) return value.map((item) => withoutHidden(item));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withoutHidden(item, name)]));
  }

  /** Where a long result was cut, it has become a text, with others as JSON inside it. */
  function cutOut(text: string): string {
    let rest = text;
    for (const one of hidden) {
      if (one.length < UNMISTAKABLE) continue;
      rest = rest.replaceAll(one, () => HIDDEN).replaceAll(JSON.stringify(one).slice(1, -1), () => HIDDEN);
    }
    return rest;
  }

  /** What the model is told of a tool that failed, so that it can try another way. */
  function withoutErrors(request: Request): Request {
    const messages = request.messages.map((message) =>
      message.role === 'tool'
        ? { ...message, content: (message.content as ResultPart[]).map(withoutError) }
        : message,
    );
    return { ...request, messages: messages as Request['messages'] };
  }

  function withoutError(part: ResultPart): ResultPart {
    const { output } = part;
    if (output === undefined) return part;
    const { type, value } = output;
    if (type !== 'error-text' || typeof value !== 'string') {
      return hidden.size === 0 ? part : { ...part, output: withoutHidden(output) as typeof output };
    }
    return isThrown(value) ? { ...part, output: { ...output, value: HIDDEN } } : part;
  }

  return (event) => {
    switch (event.type) {
      case 'run-end':
      case 'agent-end':
        return event.error === undefined ? event : { ...event, error: hideError(event.error) };
      case 'retry':
        return { ...event, error: hideError(event.error) };
      case 'tool-input-end':
        // its tool-error, which follows, makes it known
        return event.invalid !== undefined && isThrown(event.invalid) ? { ...event, invalid: HIDDEN } : event;
      case 'tool-error':
        // what a provider ran failed there
        if (event.providerExecuted === true || !isThrown(event.error)) return event;
        return { ...event, error: hide(event.error) };
      case 'sub-call-end':
        if (event.error === undefined || ownWords.test(event.error)) return event;
        return { ...event, error: hide(event.error) };
      case 'tool-end':
        return hidden.size === 0 ? event : { ...event, output: withoutHidden(event.output) };
      case 'warning':
        return warned.test(event.message) ? { ...event, message: hide(event.message) } : event;
      case 'step-start':
        return { ...event, request: withoutErrors(event.request) };
      default:
        return event;
    }
  };
}

function isSchemaFault(text: string): boolean {
  const [head] = typeFault.exec(text) ?? [];
  return head !== undefined && schemaWords.test(text.slice(head.length));
}

/** An agent that was called tells whoever called it how each of its tools failed. */
function withoutCalls(error: SerializedError): SerializedError {
  if (!Array.isArray(error.details?.['calls'])) return error;
  const { calls: _, ...details } = error.details;
  return { ...error, details };
}
