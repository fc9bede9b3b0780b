import type { ApprovalResponse, ClientToolResponse, RunEvent } from '../log/events.ts';
import type { RunState } from '../log/state.ts';
import type { EditReply, TaskEdit } from '../tasks/task.ts';
import type { RunContext } from '../tool-calls/run-context.ts';

/** The live view of one run. Reading it drives the run; reading `result` does so, too. */
export type LiveRun = {
  readonly id: string;
  /** The state after all events so far. */
  readonly state: RunState;
  /**
   * Calls `listener` with the state at most once a frame, and once after the end. Returns a function that
   * unsubscribes.
   */
  subscribe(listener: (state: RunState) => void): () => void;
  /** Calls `listener` with every event, at once. Returns a function that unsubscribes. */
  listen(listener: (event: RunEvent) => void): () => void;
  /** Returns the events after `seq` (default: all), past and future; ends after `run-end`. */
  events(afterSeq?: number): AsyncIterable<RunEvent>;
  /** Returns every event so far. */
  log(): readonly RunEvent[];
  /**
   * Changes the run's task list, or with `agent` (a path) that of an agent. The model sees it at its next step. An
   * impossible edit
   * is refused with a reason and changes nothing.
   */
  edit(edit: TaskEdit, agent?: string): EditReply;
  /** Responds to a pending approval of `state.approvals`. An invalid or late response is refused with a reason. */
  respondToApproval(approvalId: string, response: ApprovalResponse): EditReply;
  /** Responds to a pending call of `state.clientToolCalls`, in the same way. */
  respondToClientTool(clientCallId: string, response: ClientToolResponse): EditReply;
  /**
   * Reports that the page with the id `page` is about to run the call of a client tool. Refused if another page has
   * started to,
   * unless that page is `instead`, which is gone.
   */
  claim(clientCallId: string, page: string, instead?: string): EditReply;
  /** Ends the run as `stopped`, and aborts the current model call and tools. */
  stop(): void;
  /** The state after the end, whatever the outcome. Never rejects. */
  readonly finished: Promise<RunState>;
};

/** Creates the live view of a run. Calls `drive` once, when something first reads the run. */
export function createLiveRun(
  id: string,
  runContext: RunContext,
  drive: () => void,
  stop: () => void,
): LiveRun {
  const { log } = runContext;
  let driven = false;
  let finished: Promise<RunState> | undefined;

  function go(): void {
    if (driven) return;
    driven = true;
    drive();
  }

  async function untilEnd(): Promise<RunState> {
    if (!log.ended) {
      await new Promise<void>((resolve) => {
        const unlisten = log.listen((event) => {
          if (event.type !== 'run-end') return;
          unlisten();
          resolve();
        });
      });
    }
    return log.getState();
  }

  return {
    id,
    get state() {
      return log.getState();
    },
    subscribe(listener) {
      go();
      return log.subscribe(listener);
    },
    listen(listener) {
      go();
      return log.listen(listener);
    },
    events(afterSeq) {
      go();
      return log.read(afterSeq);
    },
    log: () => log.events,
    edit(edit, agent = '') {
      const list = runContext.taskLists.get(agent);
      if (list !== undefined) return list.edit(edit);
      const whose = agent === '' ? 'The run' : `The agent ${agent}`;
      return { accepted: false, reason: `${whose} has no task list.` };
    },
    respondToApproval: (approvalId, response) =>
      log.ended ? nothingWaits() : runContext.pending.respondToApproval(approvalId, response),
    respondToClientTool: (clientCallId, response) =>
      log.ended ? nothingWaits() : runContext.pending.respondToClientTool(clientCallId, response),
    claim: (clientCallId, page, instead) =>
      log.ended ? nothingWaits() : runContext.pending.claim(clientCallId, page, instead),
    stop: () => stop(),
    get finished() {
      go();
      return (finished ??= untilEnd());
    },
  };
}

function nothingWaits(): EditReply {
  return { accepted: false, reason: 'The run has ended, so nothing waits for a response.' };
}
