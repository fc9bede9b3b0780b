import type { RunState } from '../log/state.ts';
import type { TaskItem } from '../tasks/task-item.ts';

/** A tool call of a run, as scorers see it. */
export type EvalToolCall = {
  readonly name: string;
  readonly input: unknown;
  readonly output?: unknown;
  /** The error text of a call that failed. */
  readonly error?: string;
};

/** The answer of a run, as scorers see it and as the report keeps it. */
export type EvalOutput = {
  /** The text of the answer. */
  readonly text: string;
  /** The object of a prompt with an output schema. */
  readonly object?: unknown;
  /** Calls of the run itself, in their order. */
  readonly toolCalls: readonly EvalToolCall[];
  readonly tasks: readonly Pick<TaskItem, 'id' | 'title' | 'status'>[];
};

/** Returns the output of a run that is done. */
export function toEvalOutput(state: RunState): EvalOutput {
  const { result } = state;
  return {
    text: state.text,
    ...(typeof result === 'string' || result === undefined ? {} : { object: result }),
    toolCalls: state.toolCalls.map(({ toolName, input, output, errorText }) => ({
      name: toolName,
      input,
      ...(output === undefined ? {} : { output }),
      ...(errorText === undefined ? {} : { error: errorText }),
    })),
    tasks: state.tasks.map(({ id, title, status }) => ({ id, title, status })),
  };
}
