import type { EditReply, TaskEdit } from '../tasks/task-item.ts';
import type { ApprovalResponse, ClientToolResponse, RunEvent } from './events.ts';
import type { PromptTypes, RunState } from './state.ts';

/**
 * A run, to be watched, answered and stopped. What `runPrompt` returns as `run`, and the base of what `createRun`
 * does.
 */
export type RunHandle<Types extends PromptTypes = PromptTypes> = {
  readonly id: string;
  /** Returns the current state; the same object while nothing has happened. */
  getState(): RunState<Types>;
  /**
   * Calls `listener` with the state at most once a frame, and once after the end. Returns a function that
   * unsubscribes.
   */
  subscribe(listener: (state: RunState<Types>) => void): () => void;
  /** Calls `listener` with every event, at once. Returns a function that unsubscribes. */
  listen(listener: (event: RunEvent) => void): () => void;
  /** Returns the events of the current start after `seq` (default: all), past and future; ends after `run-end`. */
  events(afterSeq?: number): AsyncIterable<RunEvent>;
  /** Returns every event of the current start so far. */
  log(): readonly RunEvent[];
  /** Returns the state after the event `seq` of the log; -1 is before the first. */
  at(seq: number): RunState<Types>;
  /**
   * Changes the task list, or with `agent` (a path) that of an agent. The model sees the change at its next step. An
   * impossible edit is refused with a reason, and so is one that could not be sent: without a network it waits for
   * one, for half a minute at most.
   */
  edit(edit: TaskEdit, agent?: string): Promise<EditReply>;
  /**
   * Responds to a pending approval of `state.approvals`: `{ approved: true }`, `{ approved: true, input }` to run the
   * call with other arguments, or `{ approved: false, reason? }`. An invalid or late response is refused with a
   * reason, and so is one that could not be sent.
   */
  respondToApproval(approvalId: string, response: ApprovalResponse): Promise<EditReply>;
  /** Responds to a pending call of `state.clientToolCalls` with `{ output }` or `{ error }`, in the same way. */
  respondToClientTool(clientCallId: string, response: ClientToolResponse): Promise<EditReply>;
  /**
   * Reports that the page with the id `page` is about to run a call of `state.clientToolCalls`. Refused if another page
   * has started to, unless that page is `instead`, which is gone. `provideTools` and the `tools` of a run do this by
   * themselves.
   */
  claimClientTool(clientCallId: string, page: string, instead?: string): Promise<EditReply>;
  /** Ends the run as `stopped`, and aborts its model calls and tools. */
  stop(): void;
  /** The state once the current start has ended, whatever its outcome. Never rejects. */
  readonly finished: Promise<RunState<Types>>;
};

/** A command to a run in progress, as data. `agent` is the path of the agent whose tasks are edited. */
export type RunCommand =
  | { type: 'edit'; edit: TaskEdit; agent?: string }
  | { type: 'approval-response'; approvalId: string; response: ApprovalResponse }
  | { type: 'client-tool-response'; clientCallId: string; response: ClientToolResponse }
  /**
   * The page with the id `page` is about to run the call of a client tool. A second page is refused. `instead` is the
   * id of a page that had claimed the call, and is gone.
   */
  | { type: 'client-tool-claim'; clientCallId: string; page: string; instead?: string };
