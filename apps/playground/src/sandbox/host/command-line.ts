import type { EditReply, RunCommand } from '@cueline/core';
import type { SandboxLimits } from '../limits.ts';
import type { ToHost, ToWorker } from '../protocol.ts';

type CommandMessage = Extract<ToWorker, { type: 'command' }>;

/** Sends commands to a run in the sandbox, and gets its replies. */
export type CommandLine = {
  /** Resolves with the worker's reply, or with a refusal if there is none in time. Never rejects. */
  send(command: RunCommand): Promise<EditReply>;
  /** Takes a reply of the worker. An unexpected or repeated reply is ignored. */
  receive(message: Extract<ToHost, { type: 'reply' }>): void;
  /** Call this when the run has ended: there will be no more replies. */
  close(): void;
};

/** The longest reason that is shown, in characters; the worker may send anything. */
const MAX_REASON_LENGTH = 1_000;

const ended: EditReply = { accepted: false, reason: 'The run has ended.' };

/** A command line over `send`, which posts a message to the worker. */
export function createCommandLine(
  send: (message: CommandMessage) => void,
  limits: Pick<SandboxLimits, 'commandLength' | 'openCommands' | 'reply'>,
): CommandLine {
  const open = new Map<number, (reply: EditReply) => void>();
  let nextId = 1;
  let closed = false;

  return {
    send(command) {
      if (closed) return Promise.resolve(ended);
      const fault = faultOf(command, limits.commandLength);
      if (fault !== undefined) return Promise.resolve({ accepted: false, reason: fault });
      if (open.size >= limits.openCommands) {
        return Promise.resolve({
          accepted: false,
          reason: `The script has not yet answered ${open.size} earlier commands. Wait a moment, and try again.`,
        });
      }
      return new Promise((resolve) => {
        const id = nextId++;
        const settle = (reply: EditReply): void => {
          clearTimeout(timer);
          open.delete(id);
          resolve(reply);
        };
        const timer = setTimeout(
          () =>
            settle({
              accepted: false,
              reason: `The script gave no answer within ${limits.reply / 1000} s. Check whether the change took effect before you try again.`,
            }),
          limits.reply,
        );
        open.set(id, settle);
        send({ type: 'command', id, command });
      });
    },
    receive({ id, reply }) {
      open.get(id)?.(
        reply.accepted
          ? { accepted: true }
          : { accepted: false, reason: reply.reason.slice(0, MAX_REASON_LENGTH) },
      );
    },
    close() {
      closed = true;
      for (const settle of open.values()) settle(ended);
    },
  };
}

/** Why a command cannot be sent; undefined if it can. */
function faultOf(command: RunCommand, longest: number): string | undefined {
  try {
    const { length } = JSON.stringify(command);
    if (length <= longest) return undefined;
    return `This has ${length} characters, and a script accepts at most ${longest}. Shorten it.`;
  } catch {
    return 'This cannot be written as JSON. Use plain objects, lists, texts and numbers.';
  }
}
