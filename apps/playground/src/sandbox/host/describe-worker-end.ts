import { CuelineError } from '@cueline/core';
import type { SandboxLimits } from '../limits.ts';
import type { WorkerEnd } from './worker-frame.ts';

/** The message for the user when a worker had to be ended. */
export function describeWorkerEnd({ reason, detail }: WorkerEnd, limits: SandboxLimits): CuelineError {
  switch (reason) {
    case 'silent':
      return new CuelineError(
        'sandbox_unresponsive',
        `The script blocked its worker for ${limits.silence / 1000} s, so it was ended. Look for an endless loop, ` +
          'or for data of many megabytes; in a long computation, put `await new Promise((resolve) => setTimeout(resolve))` into the loop now and then.',
        { details: { reason } },
      );
    case 'flood':
      return new CuelineError(
        'sandbox_unresponsive',
        `The script produced events faster than they can be read (${limits.unreadMessages} were waiting), so it was ended. ` +
          'Look for a loop that logs or calls the model in every iteration.',
        { details: { reason } },
      );
    case 'too-large':
      return new CuelineError(
        'too_large',
        `The script sent one message of more than ${limits.messageLength / 1_000_000} million characters, so it was ended. ` +
          'Return less from tools, and send less to the model.',
        { details: { reason } },
      );
    case 'too-much':
      return new CuelineError(
        'too_large',
        `The script sent more than ${limits.totalLength / 1_000_000} million characters in one run, so it was ended. ` +
          'Return less from tools: every result goes to the model again with each step.',
        { details: { reason } },
      );
    default:
      return new CuelineError(
        'sandbox_unresponsive',
        `The sandbox did not start${detail === undefined ? '' : ` (${detail})`}. Reload the page. If that does not help, ` +
          'a browser extension or a policy may forbid workers here.',
        { details: { reason } },
      );
  }
}
