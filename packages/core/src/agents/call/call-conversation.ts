import type { ModelMessage } from 'ai';

/**
 * What a call has said: the turns that stay, and the branch of answers that could not be used, with what was told about
 * them. Once an answer is good, the branch is gone.
 */
export type CallConversation = {
  /** The turns that stay. */
  readonly kept: readonly ModelMessage[];
  /**
   * What is sent next, now that the model has been told `words` of ours, and whatever else it was told meanwhile.
   * `messages` are what it would be sent otherwise, and are given back where that is the same.
   */
  next(messages: readonly ModelMessage[], received: readonly ModelMessage[]): readonly ModelMessage[];
  /** A good answer, with the results of its calls. */
  addAnswer(messages: readonly ModelMessage[]): void;
  /** An answer that cannot be used. */
  addUnusableAnswer(messages: readonly ModelMessage[]): void;
  /** What the model will be told of the answer before; it stays where that does. */
  setFeedback(feedback: string | undefined): void;
};

export function createCallConversation(opening: readonly ModelMessage[]): CallConversation {
  const kept = [...opening];
  let branch: ModelMessage[] = [];
  /** What somebody else told the model while it was in the branch, which stays. */
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
