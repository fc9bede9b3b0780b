import { jsonSchema } from 'ai';
import { isRecord } from '../../base/is-record.ts';
import type { Prompt } from '../../prompt/prompt.ts';

/** The name of the tool with which a model ends its work. */
export const TASK_COMPLETE = 'task_complete';

/** The arguments of that tool. */
export type Completion = { summary: string; result?: unknown };

/** The tool that ends a session. */
export type TaskComplete = {
  define(prompt: Prompt): void;
  /** Takes over the arguments of a call that has ended in another process. */
  takeOver(input: unknown): void;
  /** The arguments of the first call, once there is one. */
  readonly completion: Completion | undefined;
};

const schema = jsonSchema<Completion>(
  {
    type: 'object',
    properties: {
      summary: { type: 'string', description: 'What was done, in a few sentences' },
      result: { description: 'What came of it as data, where the task asks for any' },
    },
    required: ['summary'],
    additionalProperties: false,
  },
  {
    validate: (value) =>
      isRecord(value) && typeof value['summary'] === 'string'
        ? { success: true, value: value as Completion }
        : {
            success: false,
            error: new Error('summary must be a string: task_complete({ summary: "What was done" }).'),
          },
  },
);

export function createTaskComplete(): TaskComplete {
  let completion: Completion | undefined;
  return {
    takeOver(input) {
      completion ??= input as Completion;
    },
    define(prompt) {
      prompt.defTool(
        TASK_COMPLETE,
        'Call this once the task is completed, with a summary of what was done. It ends the session.',
        schema,
        ({ summary, result }) => {
          // of several in one answer, the first counts
          completion ??= { summary, ...(result === undefined ? {} : { result }) };
          return { completed: true };
        },
        { effect: 'read' },
      );
    },
    get completion() {
      return completion;
    },
  };
}
