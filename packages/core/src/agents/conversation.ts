import type { ModelMessage, ToolResultPart } from 'ai';
import type { PolicyStep } from '../engine/loop-policy.ts';

/**
 * The conversation of a session or an agent call: the turns that stay, and a branch of unusable answers with the
 * messages about them. After a good answer, the branch is dropped.
 */
export class Conversation {
  #messages: ModelMessage[];
  #branch: ModelMessage[] = [];
  /** Messages of the user that arrived during the branch. They stay. */
  #receivedInBranch: ModelMessage[] = [];
  #isGood = true;
  #feedback: string | undefined;
  /** The answer whose tools run, and their results so far. */
  #answer: ModelMessage | undefined;
  #results: ToolResultPart[] = [];
  #changed = false;

  constructor(initialMessages: readonly ModelMessage[]) {
    this.#messages = [...initialMessages];
  }

  /** The turns that stay. */
  get messages(): readonly ModelMessage[] {
    return this.#messages;
  }

  /**
   * Adds the messages that the model has received since the step before: our feedback, and messages of the
   * user. Returns what the step is sent, if that is not what it would be sent anyway.
   */
  next({ messages, steered }: Pick<PolicyStep, 'messages' | 'steered'>): readonly ModelMessage[] | undefined {
    for (const message of messages.slice(messages.length - steered)) {
      const isOurs = this.#feedback !== undefined && messageText(message) === this.#feedback;
      if (isOurs) this.#feedback = undefined;
      else this.#changed = true;
      const stays = this.#isGood || !isOurs;
      if (stays && this.#branch.length === 0) this.#messages.push(message);
      else {
        this.#branch.push(message);
        if (stays) this.#receivedInBranch.push(message);
      }
    }
    this.#changed ||= this.#feedback !== undefined;
    this.#feedback = undefined;
    const sent = [...this.#messages, ...this.#branch];
    const isSame = sent.length === messages.length && sent.every((message, at) => message === messages[at]);
    return isSame ? undefined : sent;
  }

  /** Adds an answer whose tools are about to run. */
  openAnswer(answer: ModelMessage): void {
    this.#answer = answer;
    this.#changed = true;
  }

  /** Adds the result of one of its calls. */
  addResult(
    { toolCallId, toolName }: Pick<ToolResultPart, 'toolCallId' | 'toolName'>,
    output: ToolResultPart['output'],
  ): void {
    this.#results = [...this.#results, { type: 'tool-result', toolCallId, toolName, output }];
    this.#changed = true;
  }

  /** Adds a good answer, with the results of its calls. It replaces the open one. */
  addAnswer(messages: readonly ModelMessage[]): void {
    this.dropAnswer();
    this.#messages.push(...this.#receivedInBranch, ...messages);
    this.#branch = [];
    this.#receivedInBranch = [];
    this.#isGood = true;
    this.#changed ||= messages.length > 0;
  }

  /** Adds an unusable answer. */
  addUnusableAnswer(messages: readonly ModelMessage[]): void {
    this.#branch.push(...messages);
    this.#isGood = false;
  }

  /** Drops the open answer, so that later requests do not have its step. */
  dropAnswer(): void {
    this.#answer = undefined;
    this.#results = [];
  }

  /** Sets our message about the last answer. It stays in the conversation if that answer does. */
  setFeedback(text: string | undefined): void {
    this.#feedback = text;
    this.#changed ||= text !== undefined;
  }

  replace(messages: readonly ModelMessage[]): void {
    this.#messages = [...messages];
    this.#changed = true;
  }

  /** Returns all messages to store; undefined if there is no new one since the last call. */
  takeChanges(): ModelMessage[] | undefined {
    if (!this.#changed) return undefined;
    this.#changed = false;
    return this.all();
  }

  /** Returns all messages to store: with the open answer, and with our feedback. */
  all(): ModelMessage[] {
    return [
      ...this.#messages,
      ...(this.#answer === undefined ? [] : [this.#answer]),
      ...(this.#results.length === 0 ? [] : [{ role: 'tool' as const, content: this.#results }]),
      ...(this.#feedback === undefined ? [] : [{ role: 'user' as const, content: this.#feedback }]),
    ];
  }
}

function messageText({ content }: ModelMessage): string {
  if (typeof content === 'string') return content;
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}
