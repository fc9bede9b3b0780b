import { reasonOf } from '../base/error-source.ts';
import type { ApprovalResponse, ClientToolResponse } from '../log/events.ts';
import { capOutput } from '../tools/cap-output.ts';

/**
 * Reads the response to an approval as plain JSON, without unknown fields. Returns the reason as a string if it is
 * not a response.
 */
export function readApprovalResponse(response: unknown): ApprovalResponse | string {
  return orReason('an input', () => {
    if (typeof response === 'object' && response !== null && 'approved' in response) {
      if (response.approved === true) {
        if (!('input' in response) || response.input === undefined) return { approved: true };
        return { approved: true, input: plainCopy(response.input) };
      }
      const reason = 'reason' in response ? response.reason : undefined;
      if (response.approved === false && reason === undefined) return { approved: false };
      if (response.approved === false && typeof reason === 'string') return { approved: false, reason };
    }
    return 'This is not a response to an approval. Give { approved: true }, { approved: true, input } to run the call with other arguments, or { approved: false, reason }.';
  });
}

/** Reads the response to the call of a client tool in the same way. */
export function readClientToolResponse(response: unknown): ClientToolResponse | string {
  return orReason('an output', () => {
    if (typeof response === 'object' && response !== null) {
      if ('output' in response && !('error' in response)) {
        return { output: plainCopy(response.output ?? null) };
      }
      if ('error' in response && !('output' in response) && typeof response.error === 'string') {
        return { error: String(capOutput(response.error)) };
      }
    }
    return "This is not a response to the call of a client tool. Give { output } with the result of the call, or { error: 'why' }.";
  });
}

/** Returns the response as the log keeps it: outputs are cut at the limit of all tool results. */
export function loggedResponse(response: ClientToolResponse): ClientToolResponse {
  return 'output' in response ? { output: capOutput(response.output, undefined, 'data') } : response;
}

function orReason<Response>(what: string, read: () => Response | string): Response | string {
  try {
    return read();
  } catch (error) {
    return `The response cannot be read as JSON (${reasonOf(error)}). Give ${what} of plain objects, arrays, strings, numbers.`;
  }
}

/** Returns a copy that later changes do not reach. Throws if the value is not JSON. */
function plainCopy(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value)) as unknown;
}
