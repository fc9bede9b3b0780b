import type { ModelMessage } from 'ai';

/**
 * The conversation of a call: the turns that stay, and a branch of unusable answers with the messages about them.
 * After a good answer, the branch is dropped.
 */
export type CallConversation = {
  /** The turns that stay. */
  readonly kept: readonly ModelMessage[];
  /**
   * Returns what is sent next, after our message to the model and the `received` messages of others. `messages` are
   * what would be sent otherwise, and are returned if that is the same.
   */
  next(messages: readonly ModelMessage[], received: readonly ModelMessage[]): readonly ModelMessage[];
  /** Adds a good answer, with the results of its calls. */
  addAnswer(messages: readonly ModelMessage[]): void;
  /** Adds an unusable answer. */
  addUnusableAnswer(messages: readonly ModelMessage[]): void;
  /** Sets our message about the last answer. It stays in the conversation if that answer does. */
  setFeedback(feedback: string | undefined): void;
};

export function createCallConversation(opening: readonly ModelMessage[]): CallConversation {
  const kept = [...opening];
  let branch: ModelMessage[] = [];
  /** Messages of others that came during the branch. They stay. */
  let receivedInBranch: ModelMessage[] = [];
  let feedback: string | undefined;
  let isGood = true;

  return {
    kept,
    next(messages, received) {
      for (const message of received) {
        const isOurs = feedback !== undefined && textOf(message) === feedback;
        const stays = isGood || !isOurs;
        if (stays && branch.length === 0) kept.push(message);
        else {
          branch.push(message);
          if (stays) receivedInBranch.push(message);
        }
        if (isOurs) feedback = undefined;
      }
      const sent = [...kept, ...branch];
      const isSame = sent.length === messages.length && sent.every((message, at) => message === messages[at]);
      return isSame ? messages : sent;
    },
    addAnswer(messages) {
      kept.push(...receivedInBranch, ...messages);
      branch = [];
      receivedInBranch = [];
      isGood = true;
    },
    addUnusableAnswer(messages) {
      branch.push(...messages);
      isGood = false;
    },
    setFeedback(text) {
      feedback = text;
    },
  };
}

function textOf({ content }: ModelMessage): string {
  if (typeof content === 'string') return content;
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}
