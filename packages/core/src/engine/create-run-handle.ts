import type { RunCommand, RunHandle } from '../log/run-handle.ts';
import type { RunState } from '../log/state.ts';
import type { EditReply } from '../tasks/task-item.ts';
import type { RunContext } from '../tool-calls/run-context.ts';

/** Creates the handle of a run. Calls `drive` once, when something first reads the run. */
export function createRunHandle(
  id: string,
  runContext: RunContext,
  drive: () => void,
  stop: () => void,
): RunHandle {
  const { log } = runContext;
  let driven = false;
  let finished: Promise<RunState> | undefined;

  function driveOnce(): void {
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
    getState: () => log.getState(),
    subscribe(listener) {
      driveOnce();
      return log.subscribe(listener);
    },
    listen(listener) {
      driveOnce();
      return log.listen(listener);
    },
    events(afterSeq) {
      driveOnce();
      return log.read(afterSeq);
    },
    log: () => log.events,
    at: (seq) => log.at(seq),
    async edit(edit, agent = '') {
      const list = runContext.taskLists.get(agent);
      if (list !== undefined) return list.edit(edit);
      const whose = agent === '' ? 'The run' : `The agent ${agent}`;
      return { accepted: false, reason: `${whose} has no task list.` };
    },
    respondToApproval: async (approvalId, response) =>
      log.ended ? nothingWaits() : runContext.pending.respondToApproval(approvalId, response),
    respondToClientTool: async (clientCallId, response) =>
      log.ended ? nothingWaits() : runContext.pending.respondToClientTool(clientCallId, response),
    claimClientTool: async (clientCallId, page, instead) =>
      log.ended ? nothingWaits() : runContext.pending.claim(clientCallId, page, instead),
    stop: () => stop(),
    get finished() {
      driveOnce();
      return (finished ??= untilEnd());
    },
  };
}

function nothingWaits(): EditReply {
  return { accepted: false, reason: 'The run has ended, so nothing waits for a response.' };
}

/** Sends a command to a run in this process. */
export async function sendCommand(run: RunHandle, command: RunCommand): Promise<EditReply> {
  switch (command.type) {
    case 'edit':
      return run.edit(command.edit, command.agent);
    case 'approval-response':
      return run.respondToApproval(command.approvalId, command.response);
    case 'client-tool-response':
      return run.respondToClientTool(command.clientCallId, command.response);
    case 'client-tool-claim':
      return run.claimClientTool(command.clientCallId, command.page, command.instead);
    default:
      // a newer version may have stored it
      return { accepted: false, reason: 'This version does not know such a command.' };
  }
}
