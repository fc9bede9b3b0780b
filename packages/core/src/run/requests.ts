import type { RequestAnswer, RequestEvent } from '../log/events.ts';

/** A tool call that does not run before somebody has approved it. */
export type ApprovalRequest = Omit<Extract<RequestEvent, { type: 'request-open' }>, 'type'>;

/** What became of an answer. A refused one changes nothing, and its reason says what can be answered. */
export type AnswerReceipt = { accepted: true } | { accepted: false; reason: string };

/** The questions of a run that somebody has to answer before it goes on. */
export type Requests = {
  /**
   * Opens a request and waits for its answer. Rejects with the signal's reason when that aborts, which also withdraws
   * the request. `agent` is whose request it is, for the log.
   */
  ask(
    request: Omit<ApprovalRequest, 'requestId' | 'kind'>,
    signal: AbortSignal | undefined,
    agent?: string,
  ): Promise<RequestAnswer>;
  /** Answers an open request. Never throws: what cannot be an answer is refused. */
  respond(requestId: string, answer: RequestAnswer): AnswerReceipt;
};

/** A request that waits, and what to do with its answer. */
type Open = { toolName: string; answer(given: RequestAnswer): void };

/** Requests of one run. Each, and each answer that is accepted, is appended to the log. */
export function createRequests(
  append: (event: RequestEvent, agent?: string) => void,
  createId: () => string,
): Requests {
  const open = new Map<string, Open>();
  const closed = new Map<string, 'answered' | 'withdrawn'>();

  function whatIsOpen(): string {
    if (open.size === 0) return 'No request is open.';
    return `Open: ${[...open].map(([id, { toolName }]) => `${id} (${toolName})`).join(', ')}.`;
  }

  return {
    ask: ({ toolCallId, toolName, ...facts }, signal, agent) =>
      new Promise((resolve, reject) => {
        signal?.throwIfAborted();
        const requestId = createId();
        const close = (how: 'answered' | 'withdrawn'): void => {
          open.delete(requestId);
          closed.set(requestId, how);
          signal?.removeEventListener('abort', onAbort);
        };
        const onAbort = (): void => {
          close('withdrawn');
          // of a run that has ended, nothing more is written down
          append({ type: 'request-withdraw', requestId }, agent);
          reject(signal?.reason as Error);
        };
        // before the event, since whoever hears of it may answer at once
        open.set(requestId, {
          toolName,
          answer(given) {
            close('answered');
            append({ type: 'request-answer', requestId, answer: given }, agent);
            resolve(given);
          },
        });
        signal?.addEventListener('abort', onAbort, { once: true });
        append({ type: 'request-open', requestId, kind: 'approval', toolCallId, toolName, ...facts }, agent);
      }),
    respond(requestId, answer) {
      const request = open.get(requestId);
      if (request === undefined) {
        const how = closed.get(requestId);
        const what =
          how === undefined ? `There is no request ${requestId}` : `Request ${requestId} was ${how} already`;
        return { accepted: false, reason: `${what}. ${whatIsOpen()}` };
      }
      const read = readAnswer(answer);
      if (typeof read === 'string') return { accepted: false, reason: read };
      request.answer(read);
      return { accepted: true };
    },
  };
}

/** The answer as plain JSON, without what does not belong to it, or why it is none. */
function readAnswer(given: unknown): RequestAnswer | string {
  try {
    if (typeof given === 'object' && given !== null && 'approve' in given) {
      if (given.approve === true) {
        if (!('input' in given) || given.input === undefined) return { approve: true };
        // a copy, which later changes do not reach; throws for what is not JSON
        return { approve: true, input: JSON.parse(JSON.stringify(given.input)) as unknown };
      }
      const reason = 'reason' in given ? given.reason : undefined;
      if (given.approve === false && reason === undefined) return { approve: false };
      if (given.approve === false && typeof reason === 'string') return { approve: false, reason };
    }
    return 'This is no answer. Give { approve: true }, { approve: true, input } to run the call with other arguments, or { approve: false, reason }.';
  } catch (error) {
    return `The answer cannot be read as JSON (${error instanceof Error ? error.message.split('\n')[0] : 'unknown reason'}). Give an input of plain objects, arrays, strings, numbers.`;
  }
}
