import { CuelineError } from '../base/errors.ts';
import { canonicalCall } from '../json/canonical.ts';
import type { ToolEffect } from '../tools/tool-types.ts';
import { fillRule, type FullLoopRule } from './loop-rules.ts';

/** The number of different calls that are remembered, so that a long run does not keep every result. */
const REMEMBERED_CALLS = 500;

/** A tool call that is about to be made. */
export type LoopCall = {
  toolName: string;
  input: unknown;
  effect?: ToolEffect | undefined;
  /** How often the call may be made; `false` exempts it. Default: the default rule. */
  rule?: FullLoopRule | false | undefined;
};

/** What happens to a tool call. */
export type LoopVerdict =
  /** The call runs. */
  | { kind: 'run' }
  /**
   * The call does not run. It gets the result of the same call before, with a note. That result may still be pending.
   */
  | { kind: 'repeat'; output: Promise<unknown>; note: string }
  /** The call does not run, and the model reads the reason. */
  | { kind: 'refuse'; reason: string }
  /** The run ends. */
  | { kind: 'end'; error: CuelineError };

/**
 * Keeps a model from making the same call over and over. By the default rule, of identical calls (name and
 * arguments) the 2nd gets the result of the first, the 3rd to 5th are refused, and the 6th ends the run.
 *
 * - A call that fails is forgotten, so the next identical call runs.
 * - A call whose rule is `false` is exempt.
 * - Progress restarts every other count. Progress is a call that this guard has not seen before, unless its
 *   tool only reads. So a file may be read again after it was written, while a model that goes round in circles
 *   makes no progress. A strict guard ignores progress. Progress counts when the call is made and again when it
 *   first succeeds, for what was read in between.
 */
export type LoopGuard = {
  /**
   * Returns the verdict on a call. If it is `run`, pass the promise of the call's result to `settled` at once,
   * so that an identical call of the same step can wait for it. With another verdict, `settled` does nothing.
   */
  check(call: LoopCall): LoopCheck;
};

/** The guard's verdict on one call. */
export type LoopCheck = {
  verdict: LoopVerdict;
  settled(output: Promise<unknown>): void;
  /** Checks a call that is made inside this one. Its progress does not restart the count of this one. */
  checkInside: LoopGuard['check'];
};

const defaultRule = fillRule();

/** What the guard knows of one call. */
type CallRecord = { count: number; output: Promise<unknown> | undefined; succeeded: boolean };

/** Creates a guard that has seen no call. Each prompt and each agent has its own. */
export function createLoopGuard(strict = false): LoopGuard {
  /** By canonical call, in the order of the last call. */
  const seen = new Map<string, CallRecord>();
  /** The calls since the last progress. The others are forgotten and need not be visited again. */
  let counted = new Set<CallRecord>();

  function remember(key: string, entry: CallRecord): void {
    seen.delete(key);
    seen.set(key, entry);
    if (seen.size <= REMEMBERED_CALLS) return;
    const [oldest] = seen;
    if (oldest === undefined) return;
    seen.delete(oldest[0]);
    counted.delete(oldest[1]);
  }

  function startAnew(...except: CallRecord[]): void {
    if (strict) return;
    for (const entry of counted) if (!except.includes(entry)) forget(entry);
    counted = new Set(except);
  }

  async function watch(
    entry: CallRecord,
    outer: readonly CallRecord[],
    output: Promise<unknown>,
    changes: boolean,
  ): Promise<void> {
    entry.output = output;
    try {
      await output;
    } catch {
      // unless progress or a later call has replaced it
      if (entry.output === output) forget(entry);
      return;
    }
    if (changes && !entry.succeeded) startAnew(entry, ...outer);
    entry.succeeded = true;
  }

  function check(
    { toolName, input, effect, rule = defaultRule }: LoopCall,
    outer: readonly CallRecord[],
  ): LoopCheck {
    const key = canonicalCall(toolName, input);
    const known = seen.get(key);
    const entry = known ?? { count: 0, output: undefined, succeeded: false };
    const changes = effect !== 'read';
    remember(key, entry);
    counted.add(entry);
    if (known === undefined && changes) startAnew(entry, ...outer);
    if (rule !== false) entry.count += 1;
    const verdict: LoopVerdict = rule === false ? { kind: 'run' } : judge(toolName, entry, rule);
    return {
      verdict,
      settled: verdict.kind === 'run' ? (output) => void watch(entry, outer, output, changes) : () => {},
      checkInside: (call) => check(call, [entry, ...outer]),
    };
  }

  return { check: (call) => check(call, []) };
}

function forget(entry: CallRecord): void {
  entry.count = 0;
  entry.output = undefined;
}

function judge(
  toolName: string,
  { count, output }: CallRecord,
  { answerFrom, refuseFrom, endAt }: FullLoopRule,
): LoopVerdict {
  if (count >= endAt) return { kind: 'end', error: loopDetectedError(toolName, count) };
  if (count >= refuseFrom) {
    const end = endAt === Infinity ? '' : ` Call ${endAt} ends the run.`;
    return {
      kind: 'refuse',
      reason: `${toolName} was not run: this is call ${count} with the same arguments. Use the result that you have, change the arguments, or go on without it.${end}`,
    };
  }
  // without an output, the earlier call was allowed to run and has not run
  if (count < answerFrom || output === undefined) return { kind: 'run' };
  return {
    kind: 'repeat',
    output,
    note: `${toolName} was not run again: this is the result of the same call before. Do not make this call again.`,
  };
}

function loopDetectedError(toolName: string, calls: number): CuelineError {
  return new CuelineError(
    'loop_detected',
    `The model called ${toolName} ${calls} times with the same arguments, so the run was ended. If that is intended, as for a tool that polls, define the tool with { repeatable: true }, or exempt it in the options of the run: { loopGuard: { tools: { '${toolName}': false } } }.`,
    { details: { toolName, calls } },
  );
}
