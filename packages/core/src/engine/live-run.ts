import type { RequestAnswer, RunEvent } from '../log/events.ts';
import type { RunState } from '../log/state.ts';
import type { EditReply, TaskEdit } from '../tasks/task.ts';
import type { RunContext } from '../tool-calls/run-context.ts';

/** The live view of one run. Looking at it makes the run go; a run whose `result` is read goes anyway. */
export type LiveRun = {
  readonly id: string;
  /** The state after everything that has happened so far. */
  readonly state: RunState;
  /** Calls `listener` with the state at most once a frame, and once after the end. Returns the way to unsubscribe. */
  subscribe(listener: (state: RunState) => void): () => void;
  /** Calls `listener` with every event, at once. Returns the way to stop. */
  listen(listener: (event: RunEvent) => void): () => void;
  /** The events after `seq` (default: all), past and to come; ends after `run-end`. */
  events(afterSeq?: number): AsyncIterable<RunEvent>;
  /** Every event so far. */
  log(): readonly RunEvent[];
  /**
   * Changes the run's task list, or with `agent` (a path) the one of an agent; the model sees it at its next step. An
   * edit that makes no sense is refused with a reason, and changes nothing.
   */
  edit(edit: TaskEdit, agent?: string): EditReply;
  /** Answers an open request of `state.requests`. An answer that is none, or comes too late, is refused with a reason. */
  respond(requestId: string, answer: RequestAnswer): EditReply;
  /**
   * Says that the page with the id `page` is about to run the call of a client tool. Refused where another page has
   * begun to, unless that page is `instead`, which has gone.
   */
  begin(requestId: string, page: string, instead?: string): EditReply;
  /** Ends the run as `stopped`, and aborts the model call and the tools that are under way. */
  stop(): void;
  /** The state after the end, whatever the end was. Never rejects. */
  readonly finished: Promise<RunState>;
};

/** A live view of a run. `drive` is called once, when somebody first wants to see how the run goes on. */
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
    respond: (requestId, answer) =>
      log.ended ? nothingWaits() : runContext.requests.respond(requestId, answer),
    begin: (requestId, page, instead) =>
      log.ended ? nothingWaits() : runContext.requests.begin(requestId, page, instead),
    stop: () => stop(),
    get finished() {
      go();
      return (finished ??= untilEnd());
    },
  };
}

function nothingWaits(): EditReply {
  return { accepted: false, reason: 'The run has ended, so nothing waits for an answer.' };
}
