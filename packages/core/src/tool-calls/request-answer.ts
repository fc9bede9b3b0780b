import type { ApprovalAnswer, ClientToolAnswer, RequestAnswer } from '../log/events.ts';
import { capOutput } from '../tools/cap-output.ts';

/**
 * Reads the answer to an approval as plain JSON, without unknown fields. Returns the reason as a string if it is not
 * an answer.
 */
export function readApprovalAnswer(given: unknown): ApprovalAnswer | string {
  return orReason('an input', () => {
    if (typeof given === 'object' && given !== null && 'approve' in given) {
      if (given.approve === true) {
        if (!('input' in given) || given.input === undefined) return { approve: true };
        return { approve: true, input: copyOf(given.input) };
      }
      const reason = 'reason' in given ? given.reason : undefined;
      if (given.approve === false && reason === undefined) return { approve: false };
      if (given.approve === false && typeof reason === 'string') return { approve: false, reason };
    }
    return 'This is no answer. Give { approve: true }, { approve: true, input } to run the call with other arguments, or { approve: false, reason }.';
  });
}

/** Reads the answer to the call of a client tool in the same way. */
export function readClientToolAnswer(given: unknown): ClientToolAnswer | string {
  return orReason('an output', () => {
    if (typeof given === 'object' && given !== null) {
      if ('output' in given && !('error' in given)) {
        return { output: copyOf(given.output ?? null) };
      }
      if ('error' in given && !('output' in given) && typeof given.error === 'string') {
        return { error: String(capOutput(given.error)) };
      }
    }
    return "This is no answer. A page has to run this call: give { output } with what came of it, or { error: 'why' }.";
  });
}

/** Returns the answer as the log keeps it: outputs are cut at the limit of all tool results. */
export function loggedAnswer(answer: RequestAnswer): RequestAnswer {
  return 'output' in answer ? { output: capOutput(answer.output, undefined, 'data') } : answer;
}

function orReason<Answer>(what: string, read: () => Answer | string): Answer | string {
  try {
    return read();
  } catch (error) {
    return `The answer cannot be read as JSON (${error instanceof Error ? error.message.split('\n')[0] : 'unknown reason'}). Give ${what} of plain objects, arrays, strings, numbers.`;
  }
}

/** Returns a copy that later changes do not reach. Throws if the value is not JSON. */
function copyOf(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value)) as unknown;
}
