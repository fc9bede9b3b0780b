import type { RequestAnswer, Run } from '@cueline/core';

/**
 * Sends the answer to what a run asks. Gives what to tell the user where it was not accepted or could not be sent, such
 * as while the server is away. Never rejects.
 */
export async function sendAnswer(
  run: Pick<Run, 'respond'>,
  requestId: string,
  answer: RequestAnswer,
): Promise<string | undefined> {
  try {
    const reply = await run.respond(requestId, answer);
    return reply.accepted ? undefined : reply.reason;
  } catch (error) {
    return `The answer was not sent: ${error instanceof Error ? error.message : String(error)}`;
  }
}
