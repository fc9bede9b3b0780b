import type { ModelMessage } from 'ai';

/**
 * What a call has said: the turns that stay, and the branch of answers that could not be used, with what was told about
 * them. Once an answer is good, the branch is gone.
 */
export type Conversation = {
  /** The turns that stay. */
  readonly kept: readonly ModelMessage[];
  /**
   * What is sent next, now that the model has been told `words` of ours, and whatever else it was told meanwhile.
   * `messages` are what it would be sent otherwise, and are given back where that is the same.
   */
  next(messages: readonly ModelMessage[], told: readonly ModelMessage[]): readonly ModelMessage[];
  /** A good answer, with the results of its calls. */
  good(messages: readonly ModelMessage[]): void;
  /** An answer that cannot be used. */
  unusable(messages: readonly ModelMessage[]): void;
  /** What the model will be told of the answer before; it stays where that does. */
  tell(words: string | undefined): void;
};

export function createConversation(opening: readonly ModelMessage[]): Conversation {
  const kept = [...opening];
  let branch: ModelMessage[] = [];
  /** What somebody else told the model while it was in the branch, which stays. */
  let heard: ModelMessage[] = [];
  let words: string | undefined;
  let isGood = true;

  return {
    kept,
    next(messages, told) {
      for (const message of told) {
        const isOurs = words !== undefined && textOf(message) === words;
        const stays = isGood || !isOurs;
        if (stays && branch.length === 0) kept.push(message);
        else {
          branch.push(message);
          if (stays) heard.push(message);
        }
        if (isOurs) words = undefined;
      }
      const sent = [...kept, ...branch];
      const isSame = sent.length === messages.length && sent.every((message, at) => message === messages[at]);
      return isSame ? messages : sent;
    },
    good(messages) {
      kept.push(...heard, ...messages);
      branch = [];
      heard = [];
      isGood = true;
    },
    unusable(messages) {
      branch.push(...messages);
      isGood = false;
    },
    tell(text) {
      words = text;
    },
  };
}

function textOf({ content }: ModelMessage): string {
  if (typeof content === 'string') return content;
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}
