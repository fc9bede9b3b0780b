import {
  convertToModelMessages,
  createIdGenerator,
  streamText,
  type LanguageModel,
  type ModelMessage,
  type OutputInterface,
  type StreamTextResult,
  type ToolSet,
} from 'ai';
import { CuelineError } from '../errors.ts';
import { LOG_VERSION } from '../log/events.ts';
import { createRunLog } from '../log/run-log.ts';
import { createModels } from '../models/create-models.ts';
import { isPromptDefinition, type PromptDefinition } from '../prompt/define-prompt.ts';
import { Prompt } from '../prompt/prompt.ts';
import { createLiveRun, type LiveRun } from './live-run.ts';
import type { PromptConfig, PromptSource, RunContext } from './options.ts';
import { createRecorder } from './recorder.ts';
import { explainRejections } from './result.ts';
import { composeStreamOptions } from './stream-options.ts';
import { toJson } from './to-json.ts';
import { toUIMessages } from './ui-messages.ts';

/** What {@link runPrompt} gives: three views of one run. */
export type RunPromptResult = {
  /** The AI SDK's own result: `textStream`, `text`, `usage`, `toolCalls`, … Reading it makes the run go. */
  result: StreamTextResult<ToolSet, RunContext, OutputInterface>;
  /** The prompt with everything that its function defined. */
  prompt: Prompt;
  /** The run live: state, events, stop. */
  run: LiveRun;
};

const createRunId = createIdGenerator({ prefix: 'run', size: 16 });
const createMessageId = createIdGenerator({ prefix: 'msg', size: 16 });

/**
 * Calls a prompt function, compiles what it defined, and starts the run: model call, tools, model call, … until the
 * model has answered. Mistakes in the prompt, the options or the model's name throw here; whatever happens later ends
 * the run with a `run-end` event, and rejects the promises of `result` with the same error.
 *
 * @example
 * const { result } = await runPrompt((prompt) => { prompt.$`Say hello to Ada.`; }, { model: 'openai:gpt-4o' });
 * for await (const text of result.textStream) console.log(text);
 */
export async function runPrompt<Input = void>(
  source: PromptSource<Input>,
  config: PromptConfig<Input>,
): Promise<RunPromptResult> {
  const definition = toDefinition(source);
  const models = createModels(config);
  const model = await models.resolve(modelOf(config.model ?? definition.model));
  const { plugins = [], messages: ownMessages = [], ...options } = config.options ?? {};
  const prompt = new Prompt();
  for (const plugin of plugins) await plugin.setup(prompt);
  // where a prompt takes an input, its type makes the caller give one
  await definition.run(prompt, config.input as Input);
  prompt.start(options.tools);

  const opening: ModelMessage[] = [...prompt.definitions.messages, ...ownMessages];
  const turns = config.messages ?? [];
  const messages = [...opening, ...(await toModelMessages(turns))];
  if (messages.length === 0) {
    throw new CuelineError(
      'invalid_definition',
      'The prompt has no message, so there is nothing to answer. Add one: prompt.$`Summarise this: …`.',
    );
  }

  const runId = createRunId();
  const log = createRunLog();
  const recorder = createRecorder(log, {
    retriesStreams: options.streamRetries !== undefined,
    secrets: models.secrets(),
  });
  log.append({
    type: 'run-start',
    v: LOG_VERSION,
    runId,
    ...(definition.name === '' ? {} : { name: definition.name }),
    model: `${model.provider}:${model.modelId}`,
    ...(model.provider === 'simulated' ? { simulated: true } : {}),
    ...(config.input === undefined ? {} : { input: toJson(config.input) }),
    messages: [...toUIMessages(opening), ...turns],
    messageId: createMessageId(),
  });
  const abort = new AbortController();
  const stop = (): void => {
    recorder.end('stopped');
    abort.abort(new CuelineError('aborted', 'The run was stopped.'));
  };
  if (options.abortSignal?.aborted === true) stop();
  options.abortSignal?.addEventListener('abort', stop, { once: true, signal: abort.signal });

  const result = streamText<ToolSet, RunContext, OutputInterface>({
    ...composeStreamOptions(options, { definitions: prompt.definitions, log, recorder, models }),
    model,
    messages,
    abortSignal: abort.signal,
  });
  const drive = (): void => void result.consumeStream({ onError: recorder.fail });
  return {
    result: explainRejections(result, () => recorder.failure),
    prompt,
    run: createLiveRun(runId, log, drive, stop),
  };
}

function toDefinition<Input>(
  source: PromptSource<Input>,
): Pick<PromptDefinition<Input>, 'name' | 'run' | 'model'> {
  if (typeof source === 'function') return { name: '', run: source };
  if (isPromptDefinition(source)) return source;
  throw new CuelineError(
    'invalid_definition',
    `runPrompt takes a function or what definePrompt returns, and got ${source === null ? 'null' : typeof source}. Write runPrompt(async (prompt) => { prompt.$\`…\`; }, { model: 'openai:gpt-4o' }).`,
  );
}

function modelOf(model: string | LanguageModel | undefined): string | LanguageModel {
  if (model !== undefined) return model;
  throw new CuelineError(
    'invalid_options',
    "No model is given. Pass { model: 'openai:gpt-4o' }, an AI SDK model, or 'simulated:demo' to try without a key.",
  );
}

async function toModelMessages(turns: PromptConfig['messages'] & object): Promise<ModelMessage[]> {
  const said = turns.filter(({ parts }) => parts.some((part) => part.type !== 'step-start'));
  if (said.length === 0) return [];
  // a turn that was stopped in the middle of a call has no result to show for it
  return convertToModelMessages(said, { ignoreIncompleteToolCalls: true });
}
