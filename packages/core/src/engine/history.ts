import type { ModelMessage, StepResult, ToolSet } from 'ai';
import { isPlaceholder } from './provider-approvals.ts';

/** The position of a step in its run, as the AI SDK reports it. */
export type StepPosition = {
  steps: readonly StepResult<ToolSet, never>[];
  initialMessages: readonly ModelMessage[];
  experimental_steeringMessages?: readonly ModelMessage[];
};

/**
 * The whole conversation of a run, also the parts that were not sent. The AI SDK passes the messages of a step
 * on to later steps. Messages of a hook or a task list are for one step only, so the history keeps the original
 * ones.
 */
export type History = {
  /** Adds the messages since the step before; `answers` are the responses to its approvals. */
  advance(step: StepPosition, answers?: ModelMessage): readonly ModelMessage[];
  readonly messages: readonly ModelMessage[];
  /** Number of messages that the run began with. */
  readonly initialMessageCount: number;
  /**
   * Number of messages at the end that the model has received since its last step, including answers to approvals.
   */
  readonly steered: number;
  /** Replaces all messages. */
  replace(messages: readonly ModelMessage[]): void;
};

/**
 * Creates a history; `begunWith` is the `initialMessageCount` of a run whose earlier steps were made by other
 * processes.
 */
export function createHistory(begunWith?: number): History {
  let messages: ModelMessage[] = [];
  let initialMessageCount = 0;
  let seen = 0;
  let steered = 0;
  return {
    get messages() {
      return messages;
    },
    get initialMessageCount() {
      return initialMessageCount;
    },
    get steered() {
      return steered;
    },
    advance({ steps, initialMessages, experimental_steeringMessages: steering = [] }, answers) {
      if (seen === 0 && messages.length === 0) {
        messages = [...initialMessages];
        initialMessageCount = begunWith ?? messages.length;
      }
      for (; seen < steps.length; seen += 1) messages.push(...(steps[seen]?.response.messages ?? []));
      const delivered = steering.filter((message) => !isPlaceholder(message));
      if (answers !== undefined) delivered.unshift(answers);
      steered = delivered.length;
      messages.push(...delivered);
      return messages;
    },
    replace(replacement) {
      messages = [...replacement];
      initialMessageCount = 0;
    },
  };
}
