import type { Run } from '@cueline/core';
import { pendingId, type Pending, type PendingResponse } from '../state/pending.ts';

/**
 * Sends the response to an approval or to a client tool call. Returns a message for the user if the run did not accept
 * it, or if it could not be sent, for example because the server is unreachable. Never rejects.
 */
export async function sendResponse(
  run: Pick<Run, 'respondToApproval' | 'respondToClientTool'>,
  pending: Pending,
  response: PendingResponse,
): Promise<string | undefined> {
  const id = pendingId(pending);
  try {
    const reply =
      'approved' in response
        ? await run.respondToApproval(id, response)
        : await run.respondToClientTool(id, response);
    return reply.accepted ? undefined : reply.reason;
  } catch (error) {
    return `The response was not sent: ${error instanceof Error ? error.message : String(error)}`;
  }
}
