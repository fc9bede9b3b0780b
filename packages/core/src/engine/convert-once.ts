import type { LanguageModelV4, LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider';
import type { ModelMessage } from 'ai';
import type { LanguageModelObject } from '../models/settings.ts';
import { copyOnWriteMessages } from '../messages/copy-on-write-messages.ts';
import type { StreamTextOptions } from '../prompt/prompt-options.ts';

type Options = Pick<StreamTextOptions, 'prepareStep' | 'onStepStart' | 'experimental_toolCallers'>;

/** Messages that a model has been sent, and what they were converted to. */
type ConvertedMessages = {
  model: LanguageModelObject;
  messages: readonly ModelMessage[];
  converted: readonly LanguageModelV4Message[];
  /** True where somebody on the way to the provider has written into what was new in it. The rest is not looked at. */
  writtenInto(): boolean;
};

/** What a step sends. */
type Step = Pick<ConvertedMessages, 'model' | 'messages'> & {
  /** The beginning of it that is converted already. */
  earlier: ConvertedMessages | undefined;
  /** What the AI SDK is given for it: a list of our own, which it hands on to tools and callbacks. */
  given: ModelMessage[];
};

/** Stands for the messages that are converted already. */
const placeholder: ModelMessage = {
  role: 'user',
  content: '[the earlier messages]',
  providerOptions: { cueline: { earlier: true } },
};

/**
 * Options with which the AI SDK converts each message once. By itself it converts the whole conversation into the
 * provider's form at every step, and downloads the files in it anew, which is most of what a late step costs.
 *
 * Where a step goes on from the one before, the AI SDK is given a placeholder and the messages that are new. It converts
 * them between `prepareStep` and `onStepStart`, when nobody else looks; then the earlier messages are put in the place of
 * the placeholder, in the list of messages and in the prompt. All other steps are left as they are.
 */
export function convertOnce<Given extends Options>(options: Given): Given {
  // these add messages of their own, by what they find in the earlier ones
  if (options.experimental_toolCallers !== undefined) return options;
  let sent: ConvertedMessages | undefined;
  let step: Step | undefined;
  let off = false;

  const prepareStep: Options['prepareStep'] = async (place) => {
    const prepared = await options.prepareStep?.(place);
    const model = (prepared?.model ?? place.model) as LanguageModelObject;
    step = undefined;
    // whoever writes into prompts, as they are made anew at every step, needs them to be just that
    off ||= sent?.writtenInto() === true;
    if (off || model.specificationVersion !== 'v4') return prepared;
    const messages = [...(prepared?.messages ?? place.messages)];
    const earlier = sent?.model === model && isContinuation(messages, sent.messages) ? sent : undefined;
    if (earlier === undefined) {
      step = { model, messages, earlier, given: [...messages] };
      return { ...prepared, messages: step.given };
    }
    step = { model, messages, earlier, given: [placeholder, ...messages.slice(earlier.messages.length)] };
    return { ...prepared, messages: step.given, model: completing(model, earlier.converted) };
  };

  const onStepStart: Options['onStepStart'] = (event) => {
    sent = step === undefined ? undefined : complete(step, event);
    return options.onStepStart?.(event);
  };

  return { ...options, prepareStep, onStepStart };
}

/** True where `earlier` come first, and no tool's results come next: the AI SDK joins them to results just before them. */
function isContinuation(messages: readonly ModelMessage[], earlier: readonly ModelMessage[]): boolean {
  if (messages[earlier.length]?.role === 'tool') return false;
  // messages are never changed in place, so the same object is the same message
  return earlier.every((message, index) => message === messages[index]);
}

/** Puts the earlier messages in their place. Gives what was sent, where the AI SDK lets us see it. */
function complete(
  step: Step,
  event: { messages: unknown; instructions?: unknown },
): ConvertedMessages | undefined {
  const { model, messages, earlier, given } = step;
  // not among the event's types, since it is meant for telemetry
  const { promptMessages: prompt } = event as { promptMessages?: LanguageModelV4Prompt };
  if (earlier !== undefined) {
    replace(given, 0, 1, messages.slice(0, earlier.messages.length));
    if (prompt !== undefined) completePrompt(prompt, earlier.converted);
  }
  if (event.messages !== given || prompt === undefined) return undefined;
  const before = earlier?.converted ?? [];
  const start = [event.instructions ?? []].flat().length + before.length;
  const added = prompt.slice(start);
  // made of roles and parts like messages, of which it looks at nothing else
  const { copies, commit } = copyOnWriteMessages(added);
  return {
    model,
    messages,
    converted: [...before, ...added],
    writtenInto: () => commit(copies).some((message, index) => message !== added[index]),
  };
}

/** The same model, for an AI SDK that would give it another prompt than the one that it shows to `onStepStart`. */
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

/** As `splice`, for more items than a call takes arguments. */
function replace<Item>(list: Item[], start: number, count: number, items: readonly Item[]): void {
  const rest = list.splice(start).slice(count);
  for (const item of items) list.push(item);
  for (const item of rest) list.push(item);
}
