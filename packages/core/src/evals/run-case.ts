import { anySignal } from '../base/any-signal.ts';
import { thrownText } from '../base/error-source.ts';
import { CuelineError, type SerializedError } from '../base/errors.ts';
import { isRecord } from '../base/is-record.ts';
import { quoteValue } from '../base/quote-value.ts';
import { startTimer } from '../base/timer.ts';
import { untilAborted } from '../base/until-aborted.ts';
import type { RunEvent } from '../log/events.ts';
import { reduceAll } from '../log/reduce.ts';
import type { RunState } from '../log/state.ts';
import type { PromptDefinition } from '../prompt/define-prompt.ts';
import type { PromptConfig } from '../prompt/prompt-options.ts';
import { runPrompt } from '../run/run-prompt.ts';
import { costOf, type EvalPrices } from './cost.ts';
import { toEvalOutput } from './eval-output.ts';
import type { EvalStore } from './eval-store.ts';
import type { RateLimitPause } from './rate-limit-pause.ts';
import type { EvalResult, EvalScore } from './report.ts';
import { createUsageCounter, type ScorerUsage } from './scorer-usage.ts';
import type { EvalCase, ScoreContext, Scorer, ScoreValue } from './scorer.ts';

/** One run of one case. */
export type CaseRun<Input> = {
  prompt: PromptDefinition<Input>;
  case: EvalCase<Input>;
  scorers: readonly Scorer<Input>[];
  config: Omit<PromptConfig<never>, 'input'>;
  signal: AbortSignal;
  /** Milliseconds for the run, and for each scorer after it. */
  timeout: number;
  rateLimitPause: RateLimitPause;
  prices: EvalPrices | undefined;
  store: EvalStore | undefined;
  /** The key of the run in the store. */
  key: string | undefined;
};

/** The part of a result that comes from the run. */
export type CaseResult = Pick<
  EvalResult,
  'status' | 'output' | 'scores' | 'error' | 'usage' | 'cost' | 'scorerUsage' | 'ms' | 'stored'
> & { log?: readonly RunEvent[] };

/** Makes the run, or takes it from the store, and scores it. Undefined if the evaluation was aborted meanwhile. */
export async function runCase<Input>(run: CaseRun<Input>): Promise<CaseResult | undefined> {
  const { store, key, signal } = run;
  const known = key === undefined ? undefined : await readStored(store, key);
  const made = known === undefined ? await execute(run) : { log: known };
  if ('error' in made) {
    return signal.aborted ? undefined : failedStart(made.error);
  }
  const { log } = made;
  const state = reduceAll(log);
  // an aborted run says nothing about the prompt
  if (signal.aborted && state.status !== 'done') return undefined;
  // errors are tried again the next time; a log that was not stored is made again
  if (known === undefined && key !== undefined && state.status === 'done')
    await store?.set(key, log).catch(() => {});
  const facts = {
    usage: { inputTokens: state.usage.inputTokens, outputTokens: state.usage.outputTokens },
    ...withCost(log, run.prices),
    ms: state.elapsed,
    stored: known !== undefined,
    log,
  };
  if (state.status !== 'done') {
    const error = made.ending ?? state.error ?? stoppedError();
    return { status: 'error', scores: [], error, ...facts };
  }
  const output = toEvalOutput(state);
  const scored = await scoreAll(run, state);
  if (signal.aborted && scored.error !== undefined) return undefined;
  const passed = scored.error === undefined && scored.scores.every(({ pass }) => pass);
  return {
    status: scored.error === undefined ? (passed ? 'passed' : 'failed') : 'error',
    output,
    ...scored,
    ...facts,
  };
}

/** A store that fails costs a repeated run, and not the evaluation. */
async function readStored(
  store: EvalStore | undefined,
  key: string,
): Promise<readonly RunEvent[] | undefined> {
  try {
    return await store?.get(key);
  } catch {
    return undefined;
  }
}

function withCost(log: readonly RunEvent[], prices: EvalPrices | undefined): { cost?: number } {
  const cost = prices === undefined ? undefined : costOf(log, prices);
  return cost === undefined ? {} : { cost };
}

function failedStart(error: SerializedError): CaseResult {
  const usage = { inputTokens: 0, outputTokens: 0 };
  return { status: 'error', scores: [], error, usage, ms: 0, stored: false };
}

/** The log of a run, or the error that kept it from starting. `ending` is the reason why the evaluation ended it. */
type ExecutedRun =
  | { log: readonly RunEvent[]; ending?: SerializedError | undefined }
  | { error: SerializedError };

async function execute<Input>({
  prompt,
  case: { input },
  config,
  signal,
  timeout,
  rateLimitPause,
}: CaseRun<Input>): Promise<ExecutedRun> {
  const limit = startLimit('The run', timeout);
  const options = config.options ?? {};
  const abortSignal = anySignal(signal, limit.signal, options.abortSignal);
  try {
    const { run } = await runPrompt(prompt, {
      ...config,
      input,
      options: { ...options, abortSignal },
    } as never);
    let ending: CuelineError | undefined;
    const stop = run.listen((event) => {
      if (event.type === 'retry' && event.error.code === 'rate_limited')
        rateLimitPause.wait(event.delayMs ?? 0);
      ending ??= unanswerableError(event);
      if (ending !== undefined) run.stop();
    });
    await run.finished;
    stop();
    if (limit.signal.aborted && !signal.aborted) ending ??= limit.signal.reason as CuelineError;
    return { log: run.log(), ending: ending?.toJSON() };
  } catch (error) {
    return { error: serialized(error) };
  } finally {
    limit.clear();
  }
}

type Limit = { readonly signal: AbortSignal; clear(): void };

/** Aborts its signal with an error after `ms` milliseconds, unless it is cleared before. */
export function startLimit(what: string, ms: number): Limit {
  const controller = new AbortController();
  const error = new CuelineError('timeout', `${what} took longer than ${ms} ms. Pass a longer "timeout".`);
  const timer = startTimer(() => controller.abort(error), ms);
  return { signal: controller.signal, clear: () => clearTimeout(timer) };
}

/** No approval can be given in an evaluation. */
function unanswerableError(event: RunEvent): CuelineError | undefined {
  if (event.type === 'approval-request') {
    return new CuelineError(
      'invalid_options',
      'The run waits for an approval, which an evaluation cannot give. Pass runEval(…, { options: { toolApproval } }), or leave "approval" out.',
    );
  }
  if (event.type === 'client-tool-request') {
    return new CuelineError(
      'invalid_options',
      `The run waits for the client tool ${event.toolName}, which no page runs in an evaluation. Define it with a function.`,
    );
  }
  return undefined;
}

function stoppedError(): SerializedError {
  return { code: 'aborted', message: 'The run was stopped.' };
}

function serialized(error: unknown): SerializedError {
  if (CuelineError.isInstance(error))
    return {
      code: error.code,
      message: error.message,
      ...(error.details === undefined ? {} : { details: error.details }),
    };
  return { code: 'script_error', message: thrownText(error) };
}

type ScoringResult = {
  scores: EvalScore[];
  scorerUsage?: readonly ScorerUsage[];
  error?: SerializedError;
};

async function scoreAll<Input>(run: CaseRun<Input>, state: RunState): Promise<ScoringResult> {
  const { input, expect } = run.case;
  const context: ScoreContext<Input> = {
    input,
    expect,
    output: toEvalOutput(state),
    state,
    signal: run.signal,
  };
  const scores: EvalScore[] = [];
  const counter = createUsageCounter();
  const scored = (error?: SerializedError): ScoringResult => {
    const scorerUsage = counter.list(run.prices);
    return {
      scores,
      ...(scorerUsage === undefined ? {} : { scorerUsage }),
      ...(error === undefined ? {} : { error }),
    };
  };
  for (const scorer of run.scorers) {
    try {
      const onUsage: ScoreContext['onUsage'] = (usage) => counter.add(scorer.name, usage);
      const value = await scoreInTime(scorer, { ...context, onUsage }, run.timeout);
      scores.push(toScore(scorer.name, value));
    } catch (error) {
      const { message, ...rest } = serialized(error);
      return scored({ ...rest, message: `The scorer ${scorer.name} failed: ${message}` });
    }
  }
  return scored();
}

/** A scorer that ignores its signal must not delay the end of the evaluation. */
async function scoreInTime<Input>(
  scorer: Scorer<Input>,
  context: ScoreContext<Input>,
  ms: number,
): Promise<ScoreValue> {
  const limit = startLimit('it', ms);
  const signal = anySignal(context.signal, limit.signal);
  try {
    return await untilAborted(Promise.resolve(scorer.score({ ...context, signal })), signal);
  } finally {
    limit.clear();
  }
}

/** What a scorer returns comes from its author's code. */
function toScore(scorer: string, value: unknown): EvalScore {
  if (typeof value === 'boolean') return { scorer, score: value ? 1 : 0, pass: value };
  const { score, pass, reason } = isRecord(value) ? value : { score: value };
  if (typeof score === 'function') throw wrongScoreError(`a scorer. Call it: scorers: [${scorer}()]`);
  if (typeof score !== 'number' || !(score >= 0 && score <= 1)) {
    const shown = isRecord(value) ? `{ score: ${quoteValue(score)} }` : quoteValue(value);
    throw wrongScoreError(`${shown}. Return true, false, or a number from 0 to 1`);
  }
  if (pass !== undefined && typeof pass !== 'boolean')
    throw wrongScoreError(`{ score, pass: ${quoteValue(pass)} }. Write true or false as "pass"`);
  return {
    scorer,
    score,
    pass: pass ?? score >= 0.5,
    ...(typeof reason === 'string' ? { reason } : {}),
  };
}

function wrongScoreError(what: string): CuelineError {
  return new CuelineError('invalid_options', `it returned ${what}.`);
}
