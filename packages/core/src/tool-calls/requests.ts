import type { ApprovalAnswer, ClientToolAnswer, RequestAnswer, RequestEvent } from '../log/events.ts';
import { loggedAnswer, readApprovalAnswer, readClientToolAnswer } from './request-answer.ts';

type OpenEvent = Extract<RequestEvent, { type: 'request-open' }>;

/** A tool call that does not run before it is approved. */
export type ApprovalRequest = Omit<OpenEvent, 'type' | 'requestId' | 'kind' | 'effect'>;

/** A call of a client tool, which the page runs. */
export type ClientToolRequest = Omit<OpenEvent, 'type' | 'requestId' | 'kind' | 'fault'>;

/** Whether an answer was accepted. A refused answer changes nothing, and its reason says what can be answered. */
export type AnswerReceipt = { accepted: true } | { accepted: false; reason: string };

/** What a run needs from the page before it continues. */
export type Requests = {
  /**
   * Opens an approval request and waits for its answer. If the signal aborts, rejects with its reason and withdraws
   * the request.
   * `agent` is the path of the agent that asks, for the log. Without a `requestId`, or if the id is taken, the
   * request gets a new
   * id.
   */
  ask(
    request: ApprovalRequest & { requestId?: string },
    signal: AbortSignal | undefined,
    agent?: string,
  ): Promise<ApprovalAnswer>;
  /** Does the same for a call that the page runs. Calls `onBegin` when a page has started to run it. */
  call(
    request: ClientToolRequest,
    signal: AbortSignal | undefined,
    agent?: string,
    onBegin?: () => void,
  ): Promise<ClientToolAnswer>;
  /**
   * Notes that the page with this id is about to run the call of a request. Only one page may, so that no call runs
   * twice.
   * `instead` is the id of a page that had started and is gone.
   */
  begin(requestId: string, page: string, instead?: string): AnswerReceipt;
  /** Answers an open request. Never throws; an invalid answer is refused. */
  respond(requestId: string, answer: RequestAnswer): AnswerReceipt;
};

/** A pending request, and the callback for its answer. */
type Open = {
  toolName: string;
  answer(given: RequestAnswer): AnswerReceipt;
  /** Missing for an approval. */
  begin?: ((page: string) => void) | undefined;
  /** Id of the page that runs the call. */
  page?: string;
};

/** Reads an answer. Returns the reason as a string if it is not one. */
type Read<Answer> = (given: unknown) => Answer | string;

/** Creates the requests of one run. Appends each request and each accepted answer to the log. */
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

  function notOpen(requestId: string): AnswerReceipt {
    const how = closed.get(requestId);
    const what =
      how === undefined ? `There is no request ${requestId}` : `Request ${requestId} was ${how} already`;
    return { accepted: false, reason: `${what}. ${whatIsOpen()}` };
  }

  function wait<Answer extends RequestAnswer>(
    {
      requestId: wanted,
      kind,
      toolCallId,
      toolName,
      ...facts
    }: Omit<OpenEvent, 'type' | 'requestId'> & { requestId?: string },
    read: Read<Answer>,
    signal: AbortSignal | undefined,
    agent: string | undefined,
    onBegin?: () => void,
  ): Promise<Answer> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const isFree = wanted !== undefined && !open.has(wanted) && !closed.has(wanted);
      const requestId = isFree ? wanted : createId();
      const close = (how: 'answered' | 'withdrawn'): void => {
        open.delete(requestId);
        closed.set(requestId, how);
        signal?.removeEventListener('abort', onAbort);
      };
      const onAbort = (): void => {
        close('withdrawn');
        // nothing is appended after the run has ended
        append({ type: 'request-withdraw', requestId }, agent);
        reject(signal?.reason as Error);
      };
      const begin = (page: string): void => {
        append({ type: 'request-begin', requestId, page }, agent);
        onBegin?.();
      };
      // before the event, because a listener may answer at once
      open.set(requestId, {
        toolName,
        answer(given) {
          const answer = read(given);
          if (typeof answer === 'string') return { accepted: false, reason: answer };
          close('answered');
          append({ type: 'request-answer', requestId, answer: loggedAnswer(answer) }, agent);
          resolve(answer);
          return { accepted: true };
        },
        begin: kind === 'client-tool' ? begin : undefined,
      });
      signal?.addEventListener('abort', onAbort, { once: true });
      append({ type: 'request-open', requestId, kind, toolCallId, toolName, ...facts }, agent);
    });
  }

  return {
    ask: (request, signal, agent) =>
      wait({ kind: 'approval', ...request }, (given) => readApproval(given, request), signal, agent),
    call: (request, signal, agent, onBegin) =>
      wait({ kind: 'client-tool', ...request }, readClientToolAnswer, signal, agent, onBegin),
    begin(requestId, page, instead) {
      const request = open.get(requestId);
      if (request === undefined) return notOpen(requestId);
      const { begin, toolName, page: before } = request;
      if (begin === undefined) {
        return {
          accepted: false,
          reason: `Request ${requestId} is for an approval of ${toolName}. Answer it.`,
        };
      }
      // sent again because the reply was lost
      if (before === page) return { accepted: true };
      if (before !== undefined && before !== instead) {
        return { accepted: false, reason: `Another page runs ${toolName} already.` };
      }
      request.page = page;
      begin(page);
      return { accepted: true };
    },
    respond: (requestId, answer) => open.get(requestId)?.answer(answer) ?? notOpen(requestId),
  };
}

/** Calls that a provider runs itself run with their arguments unchanged. */
function readApproval(given: unknown, request: ApprovalRequest): ApprovalAnswer | string {
  const answer = readApprovalAnswer(given);
  if (request.providerExecuted !== true || typeof answer === 'string' || !('input' in answer)) return answer;
  return `The provider runs ${request.toolName} itself, with the arguments as they are. Answer without an input.`;
}
