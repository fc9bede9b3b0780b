import type { ApprovalEvent, ApprovalResponse, ClientToolEvent, ClientToolResponse } from '../log/events.ts';
import type { ApprovalState, ClientToolCallState, RunState } from '../log/state.ts';
import type { EditReply } from '../tasks/task-item.ts';
import { loggedResponse, readApprovalResponse, readClientToolResponse } from './read-response.ts';

/** A tool call that does not run before it is approved. */
export type ApprovalRequest = Omit<
  Extract<ApprovalEvent, { type: 'approval-request' }>,
  'type' | 'approvalId'
>;

/** A call of a client tool, which the page runs. */
export type ClientToolRequest = Omit<
  Extract<ClientToolEvent, { type: 'client-tool-request' }>,
  'type' | 'clientCallId'
>;

/** What a run waits for before it continues: responses to approvals and to calls of client tools. */
export type PendingResponses = {
  /**
   * Takes over the approvals and client tool calls that a loop has requested in another process, so that they
   * are not requested again.
   */
  takeOver(earlier: Pick<RunState, 'approvals' | 'clientToolCalls'>, agent: string | undefined): void;
  /** Forgets those of these requests that no call has repeated, and withdraws those without a response. */
  forget(agent: string | undefined): void;
  /** True if the call has asked for an approval in another process. */
  hasRequested(toolCallId: string, agent: string | undefined): boolean;
  /**
   * Asks for an approval and waits for the response. If the signal aborts, rejects with its reason and withdraws the
   * approval. `agent` is the path of the agent that asks, for the log. Without an `approvalId`, or if the id is taken,
   * the approval gets a new id.
   */
  requestApproval(
    request: ApprovalRequest & { approvalId?: string },
    signal: AbortSignal | undefined,
    agent?: string,
  ): Promise<ApprovalResponse>;
  /** Does the same for a call that the page runs. Calls `onClaim` when a page has started to run it. */
  callClientTool(
    request: ClientToolRequest,
    signal: AbortSignal | undefined,
    agent?: string,
    onClaim?: () => void,
  ): Promise<ClientToolResponse>;
  /**
   * Notes that the page with this id is about to run a call. Only one page may, so that no call runs twice.
   * `instead` is the id of a page that had started and is gone.
   */
  claim(clientCallId: string, page: string, instead?: string): EditReply;
  /** Responds to a pending approval. Never throws; an invalid response is refused. */
  respondToApproval(approvalId: string, response: ApprovalResponse): EditReply;
  /** Responds to a pending call of a client tool. Never throws; an invalid response is refused. */
  respondToClientTool(clientCallId: string, response: ClientToolResponse): EditReply;
};

/** A pending approval or call, and the callback for its response. */
type Pending = {
  toolName: string;
  respond(reply: unknown): EditReply;
};

type PendingCall = Pending & {
  /** Id of the page that runs the call. */
  page?: string;
  claim(page: string): void;
};

/** The events that a wait appends, and how it reads its response. */
type Wait<Response> = {
  toolName: string;
  request: ApprovalEvent | ClientToolEvent;
  withdrawal: ApprovalEvent | ClientToolEvent;
  toEvent(response: Response): ApprovalEvent | ClientToolEvent;
  /** Returns the reason as a string if `given` is not a response. */
  read(reply: unknown): Response | string;
};

type Append = (event: ApprovalEvent | ClientToolEvent, agent?: string) => void;

/** Creates the pending responses of one run. Appends each request and each accepted response to the log. */
export function createPendingResponses(append: Append, createId: () => string): PendingResponses {
  const approvals = createList('approval');
  const calls = createList<PendingCall>('client tool call');
  const askedApprovals = createPastRequests<ApprovalState>();
  const askedCalls = createPastRequests<ClientToolCallState>();

  return {
    takeOver(earlier, agent) {
      for (const approval of earlier.approvals) askedApprovals.add(approval, agent);
      for (const call of earlier.clientToolCalls) askedCalls.add(call, agent);
    },
    forget(agent) {
      for (const { approvalId, response } of askedApprovals.takeAll(agent)) {
        if (response !== undefined) continue;
        approvals.close(approvalId, 'withdrawn');
        append({ type: 'approval-withdraw', approvalId }, agent);
      }
      for (const { clientCallId, response } of askedCalls.takeAll(agent)) {
        if (response !== undefined) continue;
        calls.close(clientCallId, 'withdrawn');
        append({ type: 'client-tool-withdraw', clientCallId }, agent);
      }
    },
    hasRequested: (toolCallId, agent) => askedApprovals.has(toolCallId, agent),
    requestApproval({ approvalId: wanted, ...request }, signal, agent) {
      const asked = askedApprovals.take(request.toolCallId, agent);
      if (asked?.response !== undefined) return Promise.resolve(asked.response);
      const isFree = wanted !== undefined && approvals.isFree(wanted);
      const approvalId = asked?.approvalId ?? (isFree ? wanted : createId());
      const { toolName } = request;
      return wait<ApprovalResponse, Pending>(
        append,
        approvals,
        approvalId,
        {
          toolName,
          request: { type: 'approval-request', approvalId, ...request },
          withdrawal: { type: 'approval-withdraw', approvalId },
          toEvent: (response) => ({ type: 'approval-response', approvalId, response }),
          read: (reply) => readApproval(reply, request),
        },
        signal,
        agent,
        {},
        asked !== undefined,
      );
    },
    callClientTool(request, signal, agent, onClaim) {
      const asked = askedCalls.take(request.toolCallId, agent);
      if (asked?.response !== undefined) return Promise.resolve(asked.response);
      const clientCallId = asked?.clientCallId ?? createId();
      const { toolName } = request;
      return wait<ClientToolResponse, PendingCall>(
        append,
        calls,
        clientCallId,
        {
          toolName,
          request: { type: 'client-tool-request', clientCallId, ...request },
          withdrawal: { type: 'client-tool-withdraw', clientCallId },
          toEvent: (response) => ({
            type: 'client-tool-response',
            clientCallId,
            response: loggedResponse(response),
          }),
          read: readClientToolResponse,
        },
        signal,
        agent,
        {
          ...(asked?.page === undefined ? {} : { page: asked.page }),
          claim(page) {
            append({ type: 'client-tool-claim', clientCallId, page }, agent);
            onClaim?.();
          },
        },
        asked !== undefined,
      );
    },
    claim(clientCallId, page, instead) {
      const call = calls.get(clientCallId);
      if (call === undefined) return calls.notPending(clientCallId);
      const { toolName, page: before } = call;
      // sent again because the reply was lost
      if (before === page) return { accepted: true };
      if (before !== undefined && before !== instead) {
        return { accepted: false, reason: `Another page already runs ${toolName}.` };
      }
      call.page = page;
      call.claim(page);
      return { accepted: true };
    },
    respondToApproval: (id, response) => approvals.get(id)?.respond(response) ?? approvals.notPending(id),
    respondToClientTool: (id, response) => calls.get(id)?.respond(response) ?? calls.notPending(id),
  };
}

/** Appends a request, and resolves with its response; rejects once the signal aborts. */
function wait<Response, Item extends Pending>(
  append: Append,
  list: PendingList<Item>,
  id: string,
  { toolName, request, withdrawal, toEvent, read }: Wait<Response>,
  signal: AbortSignal | undefined,
  agent: string | undefined,
  more: Omit<Item, keyof Pending>,
  isLogged: boolean,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const close = (how: 'answered' | 'withdrawn'): void => {
      list.close(id, how);
      signal?.removeEventListener('abort', onAbort);
    };
    const onAbort = (): void => {
      close('withdrawn');
      // nothing is appended after the run has ended
      append(withdrawal, agent);
      reject(signal?.reason as Error);
    };
    const respond = (reply: unknown): EditReply => {
      const response = read(reply);
      if (typeof response === 'string') return { accepted: false, reason: response };
      close('answered');
      append(toEvent(response), agent);
      resolve(response);
      return { accepted: true };
    };
    // before the event, because a listener may respond at once
    list.add(id, { toolName, respond, ...more } as unknown as Item);
    signal?.addEventListener('abort', onAbort, { once: true });
    if (!isLogged) append(request, agent);
  });
}

/** The requests that calls have made in another process, by agent and id. Each can be taken once. */
type PastRequests<Item> = {
  add(item: Item, agent: string | undefined): void;
  has(toolCallId: string, agent: string | undefined): boolean;
  take(toolCallId: string, agent: string | undefined): Item | undefined;
  /** Takes those of an agent that are left. */
  takeAll(agent: string | undefined): readonly Item[];
};

function createPastRequests<Item extends ApprovalState | ClientToolCallState>(): PastRequests<Item> {
  const asked = new Map<string | undefined, Map<string, Item>>();
  return {
    add(item, agent) {
      if (item.withdrawn === true) return;
      const own = asked.get(agent) ?? new Map<string, Item>();
      asked.set(agent, own.set(item.toolCallId, item));
    },
    has: (toolCallId, agent) => asked.get(agent)?.has(toolCallId) === true,
    take(toolCallId, agent) {
      const own = asked.get(agent);
      const item = own?.get(toolCallId);
      own?.delete(toolCallId);
      return item;
    },
    takeAll(agent) {
      const own = asked.get(agent);
      asked.delete(agent);
      return [...(own?.values() ?? [])];
    },
  };
}

/** The pending requests, by id. */
type PendingList<Item extends Pending> = {
  add(id: string, item: Item): void;
  close(id: string, how: 'answered' | 'withdrawn'): void;
  get(id: string): Item | undefined;
  /** True for an id that was never used. */
  isFree(id: string): boolean;
  /** Returns a refusal that says what is pending instead. */
  notPending(id: string): EditReply;
};

function createList<Item extends Pending = Pending>(what: string): PendingList<Item> {
  const pending = new Map<string, Item>();
  const closed = new Map<string, 'answered' | 'withdrawn'>();
  return {
    add: (id, item) => void pending.set(id, item),
    close(id, how) {
      pending.delete(id);
      closed.set(id, how);
    },
    get: (id) => pending.get(id),
    isFree: (id) => !pending.has(id) && !closed.has(id),
    notPending(id) {
      const how = closed.get(id);
      const why = how === undefined ? `There is no ${what} ${id}` : `The ${what} ${id} was already ${how}`;
      const waiting = [...pending].map(([each, { toolName }]) => `${each} (${toolName})`).join(', ');
      return {
        accepted: false,
        reason: `${why}. ${waiting === '' ? 'None is pending.' : `Pending: ${waiting}.`}`,
      };
    },
  };
}

/** Calls that a provider runs itself run with their arguments unchanged. */
function readApproval(reply: unknown, request: ApprovalRequest): ApprovalResponse | string {
  const response = readApprovalResponse(reply);
  if (request.providerExecuted !== true || typeof response === 'string' || !('input' in response)) {
    return response;
  }
  return `The provider runs ${request.toolName} itself, with the arguments as they are. Respond without an input.`;
}
