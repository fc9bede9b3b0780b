import { CuelineError, type CuelineErrorCode } from '../errors.ts';
import type { PromptConfig, PromptOptions } from '../run/options.ts';
import { successorOf, whyDropped } from './former-names.ts';
import { nearestName } from '../nearest-name.ts';
import { isRecord, quoted } from './part-error.ts';

/** Every option of a run. The compiler holds the list against the AI SDK's own, so that none can be missing. */
const options: Record<keyof PromptOptions, true> = {
  _internal: true,
  abortSignal: true,
  activeTools: true,
  allowSystemInMessages: true,
  approval: true,
  experimental_download: true,
  experimental_include: true,
  experimental_onLanguageModelCallEnd: true,
  experimental_onLanguageModelCallStart: true,
  experimental_onStart: true,
  experimental_onStepStart: true,
  experimental_onToolCallFinish: true,
  experimental_onToolCallStart: true,
  experimental_refineToolInput: true,
  experimental_repairToolCall: true,
  experimental_sandbox: true,
  experimental_steering: true,
  experimental_telemetry: true,
  experimental_toolApprovalSecret: true,
  experimental_toolCallers: true,
  experimental_transform: true,
  forceTools: true,
  frequencyPenalty: true,
  headers: true,
  include: true,
  includeRawChunks: true,
  instructions: true,
  limits: true,
  loopGuard: true,
  maxOutputTokens: true,
  maxRetries: true,
  messages: true,
  onAbort: true,
  onChunk: true,
  onEnd: true,
  onError: true,
  onFinish: true,
  onLanguageModelCallEnd: true,
  onLanguageModelCallStart: true,
  onStart: true,
  onStepEnd: true,
  onStepError: true,
  onStepFinish: true,
  onStepStart: true,
  onToolExecutionEnd: true,
  onToolExecutionStart: true,
  output: true,
  plugins: true,
  prepareStep: true,
  presencePenalty: true,
  providerOptions: true,
  reasoning: true,
  repairToolCall: true,
  runtimeContext: true,
  seed: true,
  stopSequences: true,
  stopWhen: true,
  streamRetries: true,
  system: true,
  systemFormat: true,
  telemetry: true,
  temperature: true,
  timeout: true,
  toolApproval: true,
  toolCallConcurrency: true,
  toolChoice: true,
  toolOrder: true,
  tools: true,
  toolsContext: true,
  topK: true,
  topP: true,
};

const config: Record<keyof PromptConfig | 'step', true> = {
  env: true,
  fetch: true,
  input: true,
  messages: true,
  model: true,
  options: true,
  packages: true,
  wrapModel: true,
  providers: true,
  step: true,
  tasks: true,
};

const configNames = Object.keys(config);

/** The names of a run's options. */
export const optionNames: readonly string[] = Object.keys(options);

/** Checks what `runPrompt` takes besides the prompt, by its names. @throws CuelineError `invalid_options` */
export function checkRunOptions(given: { readonly options?: unknown }): void {
  checkNames('runPrompt', given, configNames, 'invalid_options', (name) => inOptions('runPrompt(…, ', name));
  checkOptionNames('options', given.options ?? {}, 'runPrompt(…, ');
}

/** Checks the names of a run's options. `call` is how the call begins that takes them. @throws CuelineError `invalid_options` */
export function checkOptionNames(whose: string, options: unknown, call: string): void {
  checkNames(whose, options, optionNames, 'invalid_options', (name) =>
    configNames.includes(name)
      ? `${name} stands beside the options: ${call}{ ${name}: …, options: { … } }).`
      : undefined,
  );
}

/**
 * What to write for a name that belongs into the options of a call, also by its former name. `call` is how the call
 * begins, such as `runPrompt(…, `.
 */
export function inOptions(
  call: string,
  name: string,
  names: readonly string[] = optionNames,
): string | undefined {
  const now = names.includes(name) ? name : successorOf(name, names)?.name;
  if (now === undefined) return undefined;
  const is = now === name ? 'is' : `is now ${now}, which is`;
  return `${name} ${is} an option: ${call}{ options: { ${now}: … } }${call === '' ? '' : ')'}.`;
}

/**
 * Refuses an unknown name, which would be ignored. `instead` says what to write where it can tell.
 * @throws CuelineError
 */
export function checkNames(
  whose: string,
  given: unknown = {},
  known: readonly string[],
  code: CuelineErrorCode,
  instead: (name: string) => string | undefined = () => undefined,
): void {
  if (!isRecord(given)) {
    throw new CuelineError(
      code,
      `${whose} takes an object, and got ${quoted(given)}. Write { … }, or leave it out.`,
    );
  }
  const name = Object.keys(given).find((key) => given[key] !== undefined && !known.includes(key));
  if (name === undefined) return;
  throw new CuelineError(code, instead(name) ?? `${whose} has no "${name}". ${suggestion(name, known)}`);
}

/** What to write in the place of an unknown name. */
export function suggestion(name: string, known: readonly string[]): string {
  const successor = successorOf(name, known);
  if (successor !== undefined) return `It is now ${successor.name}: { ${successor.write} }.`;
  const dropped = whyDropped(name);
  if (dropped !== undefined) return dropped;
  // what such names have in common makes none like another
  const bare = (full: string): string => full.replace(/^experimental_/, '');
  const nearest = nearestName(bare(name), known.map(bare));
  if (nearest === undefined) return `There are: ${known.join(', ')}.`;
  return `Did you mean ${known.find((full) => bare(full) === nearest)!}?`;
}
