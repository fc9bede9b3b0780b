import { checkNames } from '../base/check-names.ts';
import { CuelineError } from '../base/errors.ts';
import { quoteValue } from '../base/quote-value.ts';
import { isPromptDefinition, type PromptDefinition } from '../prompt/define-prompt.ts';
import type { EvalCase, Scorer } from './scorer.ts';
import { equals } from './scorers.ts';

/** A prompt with cases and scorers. */
export type EvalDefinition<Input = unknown> = {
  readonly kind: 'eval';
  readonly name: string;
  /** The prompt that is evaluated. */
  readonly prompt: PromptDefinition<Input>;
  readonly cases: readonly (EvalCase<Input> & { readonly id: string })[];
  readonly scorers: readonly Scorer<Input>[];
  readonly repeat: number;
  readonly threshold: number;
};

/** What {@link defineEval} takes. */
export type EvalSettings<Input> = {
  /** Default: the prompt's name. */
  readonly name?: string;
  readonly prompt: PromptDefinition<Input>;
  /** The inputs, with what their answers should be. */
  readonly cases: readonly EvalCase<NoInfer<Input>>[];
  /** Scorers, or functions that score. A run passes if it passes all of them. Default: `[equals()]`. */
  readonly scorers?: readonly (Scorer<NoInfer<Input>> | Scorer<NoInfer<Input>>['score'])[];
  /** How often each case runs. Default 1. */
  readonly repeat?: number;
  /** The pass rate from which on the eval passes, from 0 to 1. Default 1. */
  readonly threshold?: number;
};

/** Cases of one eval, and repetitions of one case. */
const MAX_CASES = 100_000;
export const MAX_REPEAT = 1_000;

/**
 * Defines an eval. `runEval`, `describeEval` and the command `cueline eval` run it.
 * @throws CuelineError `invalid_definition`
 *
 * @example
 * export default defineEval({
 *   prompt: sentiment,
 *   cases: [{ input: { TEXT: 'I am happy' }, expect: 'POSITIVE' }],
 *   scorers: [equals()],
 * });
 */
export function defineEval<Input>(settings: EvalSettings<Input>): EvalDefinition<Input> {
  checkNames(
    'defineEval',
    settings,
    ['name', 'prompt', 'cases', 'scorers', 'repeat', 'threshold'],
    'invalid_definition',
  );
  const { prompt, cases, scorers = [equals()], repeat = 1, threshold = 1 } = settings ?? {};
  if (!isPromptDefinition(prompt)) {
    throw invalidEvalError(
      `"prompt" is ${quoteValue(prompt)}. Pass what definePrompt or library.definePrompt returns.`,
    );
  }
  const { name = prompt.name } = settings;
  if (!Array.isArray(cases) || cases.length === 0) {
    throw invalidEvalError(`eval "${name}" has no cases. Write cases: [{ input: { … }, expect: '…' }].`);
  }
  if (cases.length > MAX_CASES) {
    throw invalidEvalError(
      `eval "${name}" has ${cases.length} cases, but at most ${MAX_CASES} are run. Split it.`,
    );
  }
  if (!Array.isArray(scorers) || scorers.length === 0) {
    throw invalidEvalError(`eval "${name}" has no scorers. Write scorers: [equals()], or leave it out.`);
  }
  if (!Number.isInteger(repeat) || repeat < 1 || repeat > MAX_REPEAT) {
    throw invalidEvalError(
      `"repeat" of eval "${name}" is ${quoteValue(repeat)}. Write a whole number from 1 to ${MAX_REPEAT}.`,
    );
  }
  if (typeof threshold !== 'number' || !(threshold >= 0 && threshold <= 1)) {
    throw invalidEvalError(
      `"threshold" of eval "${name}" is ${quoteValue(threshold)}. Write a pass rate from 0 to 1.`,
    );
  }
  return {
    kind: 'eval',
    name,
    prompt,
    cases: withIds(name, cases as readonly EvalCase<Input>[]),
    scorers: scorersOf(name, scorers as readonly (Scorer<Input> | Scorer<Input>['score'])[]),
    repeat,
    threshold,
  };
}

/** True for what {@link defineEval} returned. */
export function isEvalDefinition(value: unknown): value is EvalDefinition {
  return typeof value === 'object' && value !== null && (value as { kind?: unknown }).kind === 'eval';
}

function withIds<Input>(
  name: string,
  cases: readonly EvalCase<Input>[],
): (EvalCase<Input> & { id: string })[] {
  const seen = new Set<string>();
  return cases.map((one, index) => {
    const where = `cases[${index}] of eval "${name}"`;
    if (typeof one !== 'object' || one === null) {
      throw invalidEvalError(`${where} is ${quoteValue(one)}. Write { input: { … }, expect: '…' }.`);
    }
    checkNames(where, one, ['id', 'input', 'expect', 'tags', 'mark'], 'invalid_definition');
    const { id = `case-${index + 1}` } = one;
    if (typeof id !== 'string' || id === '')
      throw invalidEvalError(`${where} has the id ${quoteValue(id)}. Write a string.`);
    if (one.tags !== undefined && !isListOfTexts(one.tags))
      throw invalidEvalError(`${where} has the tags ${quoteValue(one.tags)}. Write a list of strings.`);
    if (one.mark !== undefined && typeof one.mark !== 'boolean')
      throw invalidEvalError(`${where} has the mark ${quoteValue(one.mark)}. Write true or false.`);
    if (seen.has(id))
      throw invalidEvalError(`${where} has the id "${id}", which an earlier case has. Give it another one.`);
    seen.add(id);
    return { ...one, id };
  });
}

function isListOfTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((text) => typeof text === 'string');
}

function scorersOf<Input>(
  name: string,
  scorers: readonly (Scorer<Input> | Scorer<Input>['score'])[],
): Scorer<Input>[] {
  const names = new Map<string, number>();
  return scorers.map((scorer, index) => {
    const named: Scorer<Input> =
      typeof scorer === 'function' ? { name: scorer.name || 'scorer', score: scorer } : scorer;
    if (typeof named?.score !== 'function' || typeof named.name !== 'string') {
      throw invalidEvalError(
        `scorers[${index}] of eval "${name}" is ${quoteValue(scorer)}. Pass a scorer such as equals(), or a function.`,
      );
    }
    const count = (names.get(named.name) ?? 0) + 1;
    names.set(named.name, count);
    return count === 1 ? named : { name: `${named.name} ${count}`, score: (context) => named.score(context) };
  });
}

function invalidEvalError(message: string): CuelineError {
  return new CuelineError('invalid_definition', `defineEval: ${message}`);
}

/** The three simplest cases of a prompt. */
export type Triad<Input> = {
  /** The simplest input whose answer is known. */
  readonly base: { readonly input: Input; readonly expect: unknown };
  /** Another input with the same expected answer. */
  readonly same: Input;
  /** An input whose expected answer is different. */
  readonly different: { readonly input: Input; readonly expect: unknown };
};

/**
 * Returns three cases, `base`, `same` and `different`: the simplest one, one with another input and the same expected
 * answer, and one with a different answer. A prompt passes them always, like unit tests.
 *
 * @example
 * triad({
 *   base: { input: { TEXT: 'I am happy' }, expect: 'POSITIVE' },
 *   same: { TEXT: 'I am joyful' },
 *   different: { input: { TEXT: 'I am sad' }, expect: 'NEGATIVE' },
 * })
 */
export function triad<Input>({ base, same, different }: Triad<Input>): (EvalCase<Input> & { id: string })[] {
  return [
    { id: 'base', input: base.input, expect: base.expect },
    { id: 'same', input: same, expect: base.expect },
    { id: 'different', input: different.input, expect: different.expect },
  ];
}
