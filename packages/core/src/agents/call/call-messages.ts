import { CuelineError } from '../../base/errors.ts';
import { quoteValue } from '../../base/quote-value.ts';
import { scriptError } from '../../base/script-error.ts';
import type { CallTrace } from '../record-tool-calls.ts';
import { fillTemplate } from '../tags/fill-template.ts';
import type { CallException, CallInterrupt, ExceptionHandler, InterruptHandler } from './agent-config.ts';

const EXCEPTION =
  'Your answer could not be used: {error_message}\nPlease give the whole answer again, and nothing else.';

/** The message to the model when it must not call a tool any more. */
export const FINAL_ANSWER = 'Please provide your final response.';

/** Returns the message to the model about an unusable answer. @throws CuelineError `script_error` of the handler */
export async function exceptionMessage(
  name: string,
  handler: ExceptionHandler = EXCEPTION,
  exception: CallException,
): Promise<string> {
  if (typeof handler === 'string') return fillTemplate(handler, { error_message: exception.error_message });
  const reply: unknown = await called(`onException of agent "${name}"`, () => handler(exception));
  if (typeof reply === 'string' && reply.trim() !== '') return reply;
  throw new CuelineError(
    'script_error',
    `onException of agent "${name}" returned ${quoteValue(reply)}. Return the text for the model.`,
  );
}

/**
 * Returns the message to the model besides its calls' results, if any.
 * @throws CuelineError `script_error` of the handler
 */
export async function interruptMessage(
  name: string,
  handler: InterruptHandler | undefined,
  interrupt: CallInterrupt,
): Promise<string | undefined> {
  if (handler === undefined) return undefined;
  if (typeof handler === 'string') {
    return fillTemplate(handler, { call_results: interrupt.call_results.map(describeCall).join('\n') });
  }
  const reply: unknown = await called(`onInterrupt of agent "${name}"`, () => handler(interrupt));
  if (reply === undefined || reply === null) return undefined;
  if (typeof reply === 'string') return reply.trim() === '' ? undefined : reply;
  throw new CuelineError(
    'script_error',
    `onInterrupt of agent "${name}" returned ${quoteValue(reply)}. Return the text for the model, or nothing.`,
  );
}

/** Returns a call in one line, such as `search {"q":"x"}: 3 results`. */
function describeCall({ toolName, input, output, error }: CallTrace): string {
  const result = error === undefined ? outputText(output) : `error: ${error}`;
  return `${toolName} ${JSON.stringify(input)}: ${result}`;
}

function outputText(output: unknown): string {
  return typeof output === 'string' ? output : JSON.stringify(output ?? null);
}

async function called<Value>(where: string, call: () => Value | Promise<Value>): Promise<Value> {
  try {
    return await call();
  } catch (error) {
    throw scriptError(where, error);
  }
}
