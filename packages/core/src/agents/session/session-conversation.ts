import type { ModelMessage, ToolResultPart } from 'ai';
import { toModelOutput } from '../../messages/tool-output.ts';
import type { PolicyStep } from '../../engine/loop-policy.ts';
import { withoutSuspensions } from './suspensions.ts';

type Call = Pick<ToolResultPart, 'toolCallId' | 'toolName'>;

/** What has been said in a session, up to this moment. */
export type SessionConversation = {
  /** All of it that is whole. */
  readonly messages: readonly ModelMessage[];
  /** An answer whose tools are about to run. */
  addResponse(answer: ModelMessage): void;
  /** What came of one of its calls. */
  addResult(call: Call, output: unknown): void;
  addError(call: Call, error: string): void;
  /** The step is over: its own messages take the place of the open answer, but for results that are still to come. */
  closeStep(said: readonly ModelMessage[], pending: ReadonlySet<string>): void;
  /** What the model will be told next. */
  addFeedback(text: string): void;
  /** Takes in what it has been told between two steps. True where the step must be given these messages, not its own. */
  includeFeedback(step: PolicyStep): boolean;
  /** Leaves the last step out of what is sent from now on. */
  dropLastStep(): void;
  replace(messages: readonly ModelMessage[]): void;
  /** Everything there is to keep; undefined where nothing has been added since it was last asked for. */
  takeChanges(): ModelMessage[] | undefined;
  /** The same, new or not. */
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
      // others may have said something besides
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
