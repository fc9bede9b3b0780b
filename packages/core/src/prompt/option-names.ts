import { CuelineError, type CuelineErrorCode } from '../errors.ts';
import type { PromptConfig, PromptOptions } from '../run/options.ts';
import { nearestName } from './nearest-name.ts';
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
  frequencyPenalty: true,
  headers: true,
  include: true,
  includeRawChunks: true,
  instructions: true,
  limits: true,
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
  checkNames('runPrompt', given, configNames, 'invalid_options', (name) =>
    optionNames.includes(name)
      ? `${name} is an option: runPrompt(…, { options: { ${name}: … } }).`
      : undefined,
  );
  checkNames('options', given.options ?? {}, optionNames, 'invalid_options', (name) =>
    configNames.includes(name)
      ? `${name} stands beside the options: runPrompt(…, { ${name}: …, options: { … } }).`
      : undefined,
  );
}

/**
 * Refuses a name that nobody knows, which would be ignored. `instead` says what to write where it can tell.
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
  const name = Object.keys(given).find(
    (key) => given[key] !== undefined && !known.includes(key) && !isNews(key, known, instead),
  );
  if (name === undefined) return;
  throw new CuelineError(code, instead(name) ?? `${whose} has no "${name}". ${suggestion(name, known)}`);
}

/** A later version of the AI SDK may take options that this one has not heard of; those are passed on to it. */
function isNews(
  name: string,
  known: readonly string[],
  instead: (name: string) => string | undefined,
): boolean {
  return (
    known.includes('streamRetries') && instead(name) === undefined && nearestName(name, known) === undefined
  );
}

/** What to write in the place of a name that is not known. */
export function suggestion(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known);
  return nearest === undefined ? `There are: ${known.join(', ')}.` : `Did you mean ${nearest}?`;
}
