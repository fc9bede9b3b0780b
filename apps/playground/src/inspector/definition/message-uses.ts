import type { RunState } from '@cueline/core';
import type { ModelMessage } from 'ai';
import { sentStepOf, promptsInTurns, type SentStep } from './prompt-steps.ts';

/** A step whose request has a message of the script. */
export type MessageUse = SentStep & {
  message: ModelMessage;
  /** The message in the step before, if it differed. */
  before: ModelMessage | undefined;
  /** True for the first step, and for each step whose message differs from the one before. */
  isNew: boolean;
};

/**
 * The steps of a conversation that send the message of this position, in order. A later request may have it at another
 * position, because a hook or a task list chooses the messages to send. A different message of the same role at its
 * position counts as a change of it.
 */
export function usesOfMessage(index: number, runs: readonly RunState[], agent?: string): MessageUse[] {
  const uses: MessageUse[] = [];
  for (const prompt of promptsInTurns(runs, agent)) {
    let last: ModelMessage | undefined;
    for (const step of prompt.work.steps) {
      const message = find(step.request.messages, index, last);
      if (message === undefined) continue;
      const isNew = last === undefined || !isSame(message, last);
      uses.push({ ...sentStepOf(prompt, step), message, before: isNew ? last : undefined, isNew });
      last = message;
    }
  }
  return uses;
}

function find(
  messages: readonly ModelMessage[],
  index: number,
  last: ModelMessage | undefined,
): ModelMessage | undefined {
  const there = messages[index];
  if (last === undefined || there === last) return there;
  if (messages.includes(last)) return last;
  return messages.find((message) => isSame(message, last)) ?? (there?.role === last.role ? there : undefined);
}

function isSame(one: ModelMessage, other: ModelMessage): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}
