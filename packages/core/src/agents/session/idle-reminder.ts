/** The message to a model that has answered without a call. */
export const CONTINUE = 'Please continue.';
/** The message to a model that has done so twice in a row. */
const REMINDER =
  'REMINDER: If you have completed your task, you must call the task_complete tool with a summary. If you are not done yet, please continue working.';

/** Creates the message to a model that only talks. */
export type IdleReminder = {
  /** Called after a turn. Returns undefined if the model has called a tool. */
  after(called: boolean): string | undefined;
};

export function createIdleReminder(): IdleReminder {
  let turns = 0;
  return {
    after(called) {
      turns = called ? 0 : turns + 1;
      if (turns === 0) return undefined;
      if (turns === 1) return CONTINUE;
      turns = 0;
      return REMINDER;
    },
  };
}
