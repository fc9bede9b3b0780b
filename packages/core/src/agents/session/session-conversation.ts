import type { ModelMessage, ToolResultPart } from 'ai';
import { toModelOutput } from '../../messages/tool-output.ts';
import type { PolicyStep } from '../../engine/loop-policy.ts';
import { withoutSuspensions } from './suspensions.ts';

type Call = Pick<ToolResultPart, 'toolCallId' | 'toolName'>;

/** The conversation of a session, up to this moment. */
export type SessionConversation = {
  /** All complete messages. */
  readonly messages: readonly ModelMessage[];
  /** Adds an answer whose tools are about to run. */
  addResponse(answer: ModelMessage): void;
  /** Adds the result of one of its calls. */
  addResult(call: Call, output: unknown): void;
  addError(call: Call, error: string): void;
  /** Ends a step: its own messages replace the open answer, except for pending results. */
  closeStep(said: readonly ModelMessage[], pending: ReadonlySet<string>): void;
  /** Adds the next message to the model. */
  addFeedback(text: string): void;
  /**
   * Adds messages that the model read between two steps. True if the step must be given these messages instead of its
   * own.
   */
  includeFeedback(step: PolicyStep): boolean;
  /** Removes the last step from later requests. */
  dropLastStep(): void;
  replace(messages: readonly ModelMessage[]): void;
  /** Returns all messages to keep; undefined if there is no new one since the last call. */
  takeChanges(): ModelMessage[] | undefined;
  /** Returns the same, new or not. */
  all(): ModelMessage[];
};

export function createSessionConversation(opening: readonly ModelMessage[]): SessionConversation {
  let messages = opening.map(withoutSuspensions);
  let answer: ModelMessage | undefined;
  let results: ToolResultPart[] = [];
  let feedback: string | undefined;
  let differs = messages.some((message, at) => message !== opening[at]);
  let changed = false;

  function all(): ModelMessage[] {
    return [
      ...messages,
      ...(answer === undefined ? [] : [answer]),
      ...(results.length === 0 ? [] : [{ role: 'tool' as const, content: results }]),
      ...(feedback === undefined ? [] : [{ role: 'user' as const, content: feedback }]),
    ];
  }

  function add({ toolCallId, toolName }: Call, output: ToolResultPart['output']): void {
    results = [...results, { type: 'tool-result', toolCallId, toolName, output }];
    changed = true;
  }

  return {
    get messages() {
      return messages;
    },
    addResponse(given) {
      answer = given;
      changed = true;
    },
    addResult: (call, output) => add(call, toModelOutput(output)),
    addError: (call, error) => add(call, { type: 'error-text', value: error }),
    closeStep(said, pending) {
      answer = undefined;
      results = [];
      const kept = pending.size === 0 ? said : said.flatMap((message) => without(message, pending));
      messages.push(...kept);
      changed ||= kept.length > 0;
    },
    addFeedback(text) {
      feedback = text;
      changed = true;
    },
    includeFeedback({ messages: sent, steered }) {
      // others may have sent messages, too
      changed ||= steered !== (feedback === undefined ? 0 : 1);
      feedback = undefined;
      messages.push(...sent.slice(sent.length - steered));
      const rewrite = differs;
      differs = false;
      return rewrite;
    },
    dropLastStep() {
      answer = undefined;
      results = [];
      differs = true;
    },
    replace(given) {
      messages = [...given];
      changed = true;
    },
    takeChanges() {
      if (!changed) return undefined;
      changed = false;
      return all();
    },
    all,
  };
}

function without(message: ModelMessage, pending: ReadonlySet<string>): ModelMessage[] {
  if (message.role !== 'tool') return [message];
  const content = message.content.filter(
    (part) => part.type !== 'tool-result' || !pending.has(part.toolCallId),
  );
  return content.length === 0 ? [] : [{ ...message, content }];
}
