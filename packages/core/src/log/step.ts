import type { ModelMessage } from 'ai';
import type { CompiledRequest, RequestChange, TokenUsage } from './events.ts';
import type { RunFields } from './state.ts';

/** Where a request's messages come from: the first `keep` of those before, then `messages`; `length` in all. */
type Messages = {
  before: Messages | undefined;
  keep: number;
  messages: readonly ModelMessage[];
  length: number;
};

const messagesOf = new WeakMap<CompiledRequest, Messages>();

/**
 * Returns a step's whole request, from the one before and the change. Its list of messages is made when it is
 * read: a list for every step would take a million entries in a run of a thousand steps.
 */
export function applyChange(before: CompiledRequest | undefined, change: RequestChange): CompiledRequest {
  const messages = link(before, change);
  let list: ModelMessage[] | undefined;
  // they are positions in the text, so a new text has new ones or none
  const parts = change.instructions === undefined ? before?.instructionParts : change.instructionParts;
  const request: CompiledRequest = {
    model: change.model ?? before?.model ?? '',
    instructions: change.instructions ?? before?.instructions ?? '',
    ...(parts === undefined ? {} : { instructionParts: parts }),
    get messages() {
      return (list ??= listOf(messages));
    },
    tools: change.tools ?? before?.tools ?? [],
    settings: change.settings ?? before?.settings ?? {},
  };
  messagesOf.set(request, messages);
  return request;
}

function link(request: CompiledRequest | undefined, { keep, messages }: RequestChange): Messages {
  if (request === undefined || keep === 0) return linkOf(messages);
  let before = messagesOf.get(request) ?? linkOf(request.messages);
  const kept = Math.min(keep, before.length);
  // a step that keeps as many itself adds nothing, and readers do not have to visit it
  while (before.before !== undefined && before.keep >= kept) before = before.before;
  return linkOf(messages, before, kept);
}

function linkOf(messages: readonly ModelMessage[], before?: Messages, keep = 0): Messages {
  return { before, keep, messages, length: keep + messages.length };
}

function listOf(whole: Messages): ModelMessage[] {
  const parts: (readonly ModelMessage[])[] = [];
  let count = Infinity;
  for (let link: Messages | undefined = whole; link !== undefined; link = link.before) {
    parts.push(link.messages.slice(0, count - link.keep));
    count = link.keep;
  }
  return parts.toReversed().flat();
}

/** Returns the tokens of a run plus those of one more model call. */
export function addUsage(sum: RunFields['usage'], usage: TokenUsage | undefined): RunFields['usage'] {
  if (usage === undefined) return sum;
  return {
    inputTokens: sum.inputTokens + count(usage.inputTokens),
    outputTokens: sum.outputTokens + count(usage.outputTokens),
    totalTokens: sum.totalTokens + totalOf(usage),
  };
}

/** Returns the tokens of one step, in and out. */
export function totalOf(usage: TokenUsage): number {
  return count(usage.totalTokens) || count(usage.inputTokens) + count(usage.outputTokens);
}

/** Returns 0 for missing, negative and absurd counts and texts, which providers do send. */
function count(tokens = 0): number {
  return Number.isSafeInteger(tokens) && tokens > 0 ? tokens : 0;
}
