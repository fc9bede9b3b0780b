import { checkNames } from '../base/check-names.ts';
import { CuelineError } from '../base/errors.ts';
import { isRecord } from '../base/is-record.ts';
import { nearestName } from '../base/nearest-name.ts';
import { quoteValue } from '../base/quote-value.ts';
import { successorOf } from '../base/replaced-options.ts';
import { refusePromises } from '../json/refuse-promises.ts';
import type { PromptDefinition } from './define-prompt.ts';
import type { PromptConfig, PromptOptions } from './prompt-options.ts';

/** Every option of a run. The compiler checks the list against the AI SDK's options, so that none can be missing. */
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
  unfinishedCalls: true,
};

const configNames = Object.keys(config);

/** Every field of a definition; true for what the caller of `definePrompt` sets. */
const definitionFields: Record<keyof PromptDefinition, boolean> = {
  inline: false,
  input: true,
  kind: false,
  library: false,
  model: true,
  name: false,
  output: true,
  plugins: true,
  policySetup: false,
  remote: false,
  run: false,
  tools: true,
  '~types': false,
};

const settingNames = (Object.keys(definitionFields) as (keyof PromptDefinition)[]).filter(
  (name) => definitionFields[name],
);

/** The names of a run's options. */
export const optionNames: readonly string[] = Object.keys(options);

/** Checks the names in the second argument of `runPrompt`. @throws CuelineError `invalid_options` */
export function checkRunOptions(config: { readonly options?: unknown }): void {
  checkNames('runPrompt', config, configNames, 'invalid_options', (name) => inOptions('runPrompt(…, ', name));
  refusePromises('The settings of the run', config);
  checkOptionNames('options', config.options ?? {}, 'runPrompt(…, ');
  checkAbortSignal(config.options ?? {});
}

/**
 * Refuses a setting that `definePrompt` does not have and that is an option, or almost has the name of a setting. Any
 * other field is the app's own: `{ ...planDay, title }`. Agents and sessions check their settings themselves.
 * @throws CuelineError `invalid_definition`
 */
export function checkDefinition({ name, policySetup, ...fields }: Partial<PromptDefinition<never>>): void {
  if (policySetup !== undefined) return;
  const mistakes = Object.entries(fields).filter(
    ([field]) =>
      !Object.hasOwn(definitionFields, field) &&
      (inOptions('', field) !== undefined || nearestName(field, settingNames) !== undefined),
  );
  checkNames(
    `The definition of prompt "${name}"`,
    Object.fromEntries(mistakes),
    settingNames,
    'invalid_definition',
    (setting) => inOptions('', setting),
  );
}

/**
 * Checks the names of a run's options. `call` is the beginning of the call that takes them.
 * @throws CuelineError `invalid_options`
 */
export function checkOptionNames(whose: string, options: unknown, call: string): void {
  checkNames(whose, options, optionNames, 'invalid_options', (name) =>
    configNames.includes(name)
      ? `${name} is not one of the options. Write ${call}{ ${name}: …, options: { … } }).`
      : undefined,
  );
  refusePromises(whose, Object(options) as object);
}

/** @throws CuelineError `invalid_options` if `abortSignal` is not an AbortSignal, such as an AbortController */
export function checkAbortSignal({ abortSignal }: { readonly abortSignal?: unknown } = {}): void {
  if (abortSignal === undefined) return;
  if (isRecord(abortSignal) && typeof abortSignal['addEventListener'] === 'function') return;
  throw new CuelineError(
    'invalid_options',
    `options.abortSignal is ${quoteValue(abortSignal)}, not an AbortSignal. Write { abortSignal: controller.signal }.`,
  );
}

/**
 * Returns what to write for a name that belongs in the options of a call, also for a former name. `call` is the
 * beginning of the call, such as `runPrompt(…, `.
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
