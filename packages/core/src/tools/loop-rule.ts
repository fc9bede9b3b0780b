import { checkNames } from '../base/check-names.ts';
import { CuelineError, type CuelineErrorCode } from '../base/errors.ts';
import { quoteValue } from '../base/quote-value.ts';

/** How often a model may make the same call: the same tool with the same arguments. `Infinity` turns a limit off. */
export type LoopRule = {
  /** From this call on, the model gets the earlier result with a note instead of a new call. Default 2. */
  answerFrom?: number | undefined;
  /**
   * From this call on, the model gets a refusal instead of a result. Default 3, or one after `answerFrom` if that is
   * more.
   */
  refuseFrom?: number | undefined;
  /** This call ends the run with `loop_detected`. Default 6, or three after `refuseFrom` if that is more. */
  endAt?: number | undefined;
};

/** How the loop guard treats the calls of a run and of its agents. */
export type LoopGuardOptions = LoopRule & {
  /** Rules of single tools by name. They override those of the tools' definitions. `false` exempts a tool. */
  tools?: Readonly<Record<string, LoopRule | false>> | undefined;
};

/** In the order in which they apply. */
const names: Record<keyof LoopRule, true> = { answerFrom: true, refuseFrom: true, endAt: true };
const ruleNames = Object.keys(names) as (keyof LoopRule)[];

/** Checks a rule. `others` are further names that are allowed. @throws CuelineError */
export function checkLoopRule(
  whose: string,
  rule: LoopRule | false | undefined,
  code: CuelineErrorCode,
  others: readonly string[] = [],
): void {
  if (rule === undefined || rule === false) return;
  checkNames(whose, rule, [...ruleNames, ...others], code);
  for (const name of ruleNames) {
    const { [name]: value } = rule;
    if (value === undefined || value === Infinity || (Number.isSafeInteger(value) && value >= 2)) continue;
    throw new CuelineError(
      code,
      `${whose}.${name} is ${quoteValue(value)}. Give a whole number of at least 2, or Infinity for never.`,
    );
  }
  checkOrder(whose, rule, code);
}

/**
 * Refuses a number that never applies because a later one of the same rule comes first. `Infinity` is meant never to
 * apply.
 */
function checkOrder(whose: string, rule: LoopRule, code: CuelineErrorCode): void {
  const given = ruleNames.flatMap((name) => {
    const { [name]: value = Infinity } = rule;
    return value === Infinity ? [] : [{ name, value }];
  });
  for (const [index, { name, value }] of given.entries()) {
    const next = given[index + 1];
    if (next === undefined || value <= next.value) continue;
    throw new CuelineError(
      code,
      `${whose}.${name} is ${value}, but ${next.name} is ${next.value}. Give ${name} at most ${next.value}, or Infinity for never.`,
    );
  }
}
