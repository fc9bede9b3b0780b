import type { LanguageModelV4, LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider';
import type { ModelMessage } from 'ai';
import { copyOnWriteMessages } from '../messages/copy-on-write-messages.ts';
import type { LanguageModelObject } from '../models/settings.ts';
import type { StreamTextOptions } from '../prompt/call-settings.ts';

type Options = Pick<StreamTextOptions, 'prepareStep' | 'onStepStart' | 'experimental_toolCallers'>;

/** Messages that a model has been sent, and their converted form. */
type ConvertedMessages = {
  model: LanguageModelObject;
  messages: readonly ModelMessage[];
  converted: readonly LanguageModelV4Message[];
  /** True if some code on the way to the provider has changed the new part. The rest is not checked. */
  writtenInto(): boolean;
};

/** The messages of one step. */
type Step = Pick<ConvertedMessages, 'model' | 'messages'> & {
  /** The beginning of the messages, which is converted already. */
  earlier: ConvertedMessages | undefined;
  /** The list that the AI SDK is given, and which it passes on to tools and callbacks. */
  passedOn: ModelMessage[];
};

/** Stands for the messages that are converted already. */
const placeholder: ModelMessage = {
  role: 'user',
  content: '[the earlier messages]',
  providerOptions: { cueline: { earlier: true } },
};

/**
 * Returns options with which the AI SDK converts each message once. By default it converts the whole
 * conversation at every step and downloads its files again, which is most of the cost of a late step.
 *
 * If a step continues the one before, the AI SDK gets a placeholder and the new messages. It converts them
 * between `prepareStep` and `onStepStart`, when no other code reads them; then the earlier messages replace the
 * placeholder, in the list of messages and in the prompt. All other steps stay unchanged.
 */
export function convertOnce<Given extends Options>(options: Given): Given {
  // these add messages of their own, depending on the earlier ones
  if (options.experimental_toolCallers !== undefined) return options;
  let sent: ConvertedMessages | undefined;
  let step: Step | undefined;
  let off = false;

  const prepareStep: Options['prepareStep'] = async (position) => {
    const prepared = await options.prepareStep?.(position);
    const model = (prepared?.model ?? position.model) as LanguageModelObject;
    step = undefined;
    // code that changes prompts relies on getting a new one at every step
    off ||= sent?.writtenInto() === true;
    if (off || model.specificationVersion !== 'v4') return prepared;
    const messages = [...(prepared?.messages ?? position.messages)];
    const earlier = sent?.model === model && isContinuation(messages, sent.messages) ? sent : undefined;
    if (earlier === undefined) {
      step = { model, messages, earlier, passedOn: [...messages] };
      return { ...prepared, messages: step.passedOn };
    }
    step = { model, messages, earlier, passedOn: [placeholder, ...messages.slice(earlier.messages.length)] };
    return { ...prepared, messages: step.passedOn, model: completing(model, earlier.converted) };
  };

  const onStepStart: Options['onStepStart'] = (event) => {
    sent = step === undefined ? undefined : complete(step, event);
    return options.onStepStart?.(event);
  };

  return { ...options, prepareStep, onStepStart };
}

/**
 * True if `earlier` is the beginning of the messages and no tool results follow: the AI SDK merges those into results
 * before them.
 */
function isContinuation(messages: readonly ModelMessage[], earlier: readonly ModelMessage[]): boolean {
  if (messages[earlier.length]?.role === 'tool') return false;
  // messages are never changed in place, so the same object is the same message
  return earlier.every((message, index) => message === messages[index]);
}

/** Puts the earlier messages in place of the placeholder. Returns what was sent, if the AI SDK shows it. */
function complete(
  step: Step,
  event: { messages: unknown; instructions?: unknown },
): ConvertedMessages | undefined {
  const { model, messages, earlier, passedOn } = step;
  // not among the event's types, because it is meant for telemetry
  const { promptMessages: prompt } = event as { promptMessages?: LanguageModelV4Prompt };
  if (earlier !== undefined) {
    replace(passedOn, 0, 1, messages.slice(0, earlier.messages.length));
    if (prompt !== undefined) completePrompt(prompt, earlier.converted);
  }
  if (event.messages !== passedOn || prompt === undefined) return undefined;
  const before = earlier?.converted ?? [];
  const start = [event.instructions ?? []].flat().length + before.length;
  const added = prompt.slice(start);
  // made of roles and parts like messages, and nothing else of it is read
  const { copies, commit } = copyOnWriteMessages(added);
  return {
    model,
    messages,
    converted: [...before, ...added],
    writtenInto: () => commit(copies).some((message, index) => message !== added[index]),
  };
}

/** Wraps the model for an AI SDK that would send it another prompt than the one it shows to `onStepStart`. */
function completing(model: LanguageModelV4, converted: readonly LanguageModelV4Message[]): LanguageModelV4 {
  return {
    specificationVersion: model.specificationVersion,
    provider: model.provider,
    modelId: model.modelId,
    get supportedUrls() {
      return model.supportedUrls;
    },
    doGenerate: (call) => model.doGenerate(call),
    doStream(call) {
      completePrompt(call.prompt, converted);
      return model.doStream(call);
    },
  };
}

function completePrompt(prompt: LanguageModelV4Prompt, converted: readonly LanguageModelV4Message[]): void {
  const start = prompt.findIndex(({ role }) => role !== 'system');
  if (prompt[start]?.providerOptions?.['cueline']?.['earlier'] !== true) return;
  replace(
    prompt,
    start,
    1,
    converted.map((message) => ({ ...message })),
  );
}

/** Does the same as `splice`, for more items than a call takes arguments. */
function replace<Item>(list: Item[], start: number, count: number, items: readonly Item[]): void {
  const rest = list.splice(start).slice(count);
  for (const item of items) list.push(item);
  for (const item of rest) list.push(item);
}
