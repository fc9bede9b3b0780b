import type { EditReply, RunCommand } from '@cueline/core';
import { utf8Length } from '../../base/utf8-length.ts';

/** How many bytes the commands to one run may have together, and how many commands of the largest size in any case. */
const RUN_COMMAND_BYTES = 4 << 20;
const MIN_COMMANDS = 8;

/** Counts a command. Returns the reply that refuses it if the run has taken too many bytes. */
export type CommandBudget = (command: RunCommand) => EditReply | undefined;

/**
 * Bounds the bytes of all commands to one run, because its log keeps them, and a store forgets nothing of a run in
 * progress. `commandBytes` is the largest size of one command.
 */
export function createCommandBudget(commandBytes: number): CommandBudget {
  const most = Math.max(RUN_COMMAND_BYTES, MIN_COMMANDS * commandBytes);
  let taken = 0;
  return (command) => {
    const bytes = utf8Length(JSON.stringify(command));
    if (taken + bytes > most) {
      return {
        accepted: false,
        reason: `This run has taken ${most} bytes of commands, and takes no more. Send less, or start another run.`,
      };
    }
    taken += bytes;
    return undefined;
  };
}
