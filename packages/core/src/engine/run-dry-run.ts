import type { OutputInterface } from 'ai';
import { anySignal } from '../base/any-signal.ts';
import { CuelineError } from '../base/errors.ts';
import { trackWork } from '../base/track-work.ts';
import { estimateTokens, type TokenEstimate } from '../compile/estimate-tokens.ts';
import type { CompiledRequest } from '../log/events.ts';
import { createRunLog } from '../log/run-log.ts';
import { bindModels } from '../models/create-models.ts';
import type { PromptConfig, PromptSource } from '../prompt/prompt-options.ts';
import type { Plugin } from '../prompt/prompt.ts';
import { createRunContext, type EventSink, type RunContext } from '../tool-calls/run-context.ts';
import { startAgentLoop, type AgentLoopOptions } from './agent-loop.ts';
import type { Ending } from './ending.ts';
import { nameOnlyModels } from './name-only-models.ts';
import { openRun, toDefinition } from './open-run.ts';
import { runAgent } from './run-agent.ts';
import type { PrepareStep } from './stream-context.ts';

/** What `dryRun` takes besides the prompt: the config of `runPrompt`, and the number of the step. */
export type DryRunConfig<Input = void, Plugins extends readonly Plugin[] = readonly Plugin[]> = PromptConfig<
  Input,
  OutputInterface,
  Plugins
> & {
  /** Number of the step, from 0, which is the default. */
  step?: number | undefined;
};

/** The request of one step. */
export type DryRun = {
  /** The request as the log of a run keeps it. `model` is the name that was given, or empty. */
  request: CompiledRequest;
  /** Estimated tokens per definition. */
  tokens: TokenEstimate;
  /** The run's warnings up to then, such as that of a hook that asks for a missing tool. */
  warnings: string[];
};

/**
 * Runs a prompt up to its first model call, without making the call. The implementation of `dryRun`, apart so that it
 * loads late.
 */
export async function runDryRun<Input, Plugins extends readonly Plugin[]>(
  source: PromptSource<Input, Plugins>,
  config: DryRunConfig<Input, Plugins>,
): Promise<DryRun> {
  const definition = toDefinition(source);
  const models = nameOnlyModels(bindModels(config));
  const model = await models.resolve(config.model ?? definition.model ?? '');
  const step = checkStep(config.step ?? 0);
  const { prompt, messages, limits, approvedEffects, loopRules, options, abortSignal } = await openRun(
    definition,
    config,
  );
  const abort = new AbortController();
  let request: CompiledRequest | undefined;
  let ending: Ending | undefined;
  const warnings = new Set<string>();
  const sink: EventSink = {
    ended: false,
    append(event) {
      if (event.type === 'warning') warnings.add(event.message);
      if (event.type !== 'step-start') return;
      const { keep: _, ...first } = event.request;
      // in a first request everything is new
      request = first as CompiledRequest;
      abort.abort();
    },
  };
  const fail = (error: CuelineError): void => {
    recorder.fail(error);
    abort.abort(error);
  };
  const runContext = createRunContext(createRunLog(), models, {
    limits,
    approvedEffects,
    loopRules,
    answer: runAgent,
    fail,
    track: trackWork(undefined),
    whenStored: undefined,
    durable: undefined,
    past: undefined,
  });
  const { result, recorder } = startAgentLoop(
    { runContext: withoutTools(runContext), path: undefined, depth: 0, callBase: '', model, sink },
    {
      prompt,
      messages,
      options: withoutCallbacks(options),
      ...(definition.output === undefined ? {} : { responseSchema: definition.output }),
      abortSignal: anySignal(abort.signal, abortSignal),
      aroundPrepareStep: (prepareStep) => prepareStepsUntil(step, prepareStep),
      onEnd: (end) => (ending ??= end),
    },
  );
  await result.consumeStream({ onError: (error) => recorder.fail(error) });
  if (request === undefined || abortSignal?.aborted === true) {
    throw ending?.error ?? new CuelineError('aborted', 'The dry run was stopped.');
  }
  // a model of which only the alias is known has no provider
  request.model = request.model.replace(/^:/, '');
  const tokens = estimateTokens(request);
  return { request, tokens, warnings: [...warnings] };
}

function checkStep(step: number): number {
  if (Number.isSafeInteger(step) && step >= 0) return step;
  throw new CuelineError(
    'invalid_options',
    `dryRun was asked for step ${String(step)}. Steps are counted from 0: dryRun(prompt, { step: 1 }) is the second one.`,
    { details: { option: 'step' } },
  );
}

/** Prepares all steps up to `last`, as if none had been answered, and returns what the last one sends. */
function prepareStepsUntil(last: number, prepareStep: PrepareStep): PrepareStep {
  return async (first) => {
    let carried = inheritStep(first);
    for (let { stepNumber } = first; ; stepNumber += 1) {
      const prepared = { ...carried, ...(await prepareStep({ ...first, ...carried, stepNumber })) };
      // undefined instructions count as left out
      if (stepNumber >= last) return prepared as Awaited<ReturnType<PrepareStep>>;
      carried = inheritStep(prepared);
    }
  };
}

type InheritedStep = Pick<
  Parameters<PrepareStep>[0],
  'instructions' | 'messages' | 'toolsContext' | 'runtimeContext'
>;

/** Returns what a step inherits in the AI SDK if its `prepareStep` does not set it. */
function inheritStep({ instructions, messages, toolsContext, runtimeContext }: InheritedStep): InheritedStep {
  return { instructions, messages, toolsContext, runtimeContext };
}

/**
 * Removes the tools. Messages can contain an approval, for which the AI SDK would run the tool before the first step.
 */
function withoutTools(runContext: RunContext): RunContext {
  const takeToolCall = (): CuelineError =>
    new CuelineError(
      'invalid_options',
      'The messages approve a tool call, which runs before the first step, and a dry run runs no tools. Leave the approval out, or put the result of the call into the messages.',
    );
  return { ...runContext, budget: { ...runContext.budget, takeToolCall } };
}

/** Removes the callbacks. Dry runs fire none. */
function withoutCallbacks(options: AgentLoopOptions['options']): AgentLoopOptions['options'] {
  const listens = /^(experimental_)?(on[A-Z]|telemetry|transform|steering)/;
  const rest = Object.entries(options).filter(([name]) => !listens.test(name));
  return { ...Object.fromEntries(rest), telemetry: { isEnabled: false } };
}
