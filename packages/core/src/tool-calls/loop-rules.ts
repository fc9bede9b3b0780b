import { checkNames } from '../base/check-names.ts';
import { checkLoopRule, type LoopGuardOptions, type LoopRule } from '../tools/loop-rule.ts';
import type { ToolRules } from '../tools/tool-types.ts';

/** A rule with every number filled in. */
export type FullLoopRule = { answerFrom: number; refuseFrom: number; endAt: number };

type OwnRules = { [Name in 'repeatable' | 'loopGuard']?: ToolRules[Name] | undefined };

/** The rules of a run; `false` exempts a call. */
export type LoopRules = {
  /** The rule for calls that cannot run. */
  readonly general: FullLoopRule | false;
  /** Returns the rule for the calls of a tool; `own` are the rules of its definition. */
  of(toolName: string, own?: OwnRules): FullLoopRule | false;
};

/** Reads `options.loopGuard`. @throws CuelineError `invalid_options` */
export function readLoopGuard(options: LoopGuardOptions | boolean = true): LoopRules {
  const { tools = {}, ...rule } = readOptions(options);
  const general = options === false ? false : fillRule(rule);
  const byName = new Map(Object.entries(tools));
  return {
    general,
    of(toolName, { repeatable = false, loopGuard } = {}) {
      // a call inside the call of a composite tool is named `file.read`
      const named = byName.get(toolName) ?? byName.get(toolName.split('.', 1)[0]!);
      const chosen = named ?? (repeatable ? false : loopGuard);
      if (chosen === undefined) return general;
      return chosen === false ? false : fillRule({ ...rule, ...chosen });
    },
  };
}

/** @throws CuelineError `invalid_options` */
function readOptions(options: LoopGuardOptions | boolean): LoopGuardOptions {
  if (typeof options === 'boolean') return {};
  const whose = 'options.loopGuard';
  checkLoopRule(whose, options, 'invalid_options', ['tools']);
  const { tools = {} } = options;
  checkNames(`${whose}.tools`, tools, Object.keys(tools ?? {}), 'invalid_options');
  for (const [name, rule] of Object.entries(tools)) {
    checkLoopRule(`${whose}.tools.${name}`, rule, 'invalid_options');
  }
  return options;
}

/** Fills in the defaults. A default moves up if the number before it is larger. */
export function fillRule({
  answerFrom = 2,
  refuseFrom = Math.max(3, answerFrom + 1),
  endAt = Math.max(6, refuseFrom + 3),
}: LoopRule = {}): FullLoopRule {
  return { answerFrom, refuseFrom, endAt };
}
