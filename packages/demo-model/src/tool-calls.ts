import type { LanguageModelV4FunctionTool } from '@ai-sdk/provider';
import { argumentsFromSchema } from './arguments-from-schema.ts';
import { writeAnswer, writeIntroduction, writeNextStep } from './demo-answer.ts';
import { type Hints, readHints, toWords } from './hints.ts';
import type { ParsedPrompt } from './parse-prompt.ts';

/** A call that the demo model makes. */
export type PlannedCall = { name: string; input: unknown };

/** What the demo model does in one step. */
export type Plan = { text: string; calls: readonly PlannedCall[] };

/** The input of a plan. */
export type PlanContext = {
  prompt: ParsedPrompt;
  hints: Hints;
  tools: readonly LanguageModelV4FunctionTool[];
};

// A real model would not call more at once either.
const mostCallsPerStep = 4;
const effects =
  /^(create|update|delete|remove|send|book|order|buy|pay|submit|save|write|add|set|post|publish|finish|complete|cancel|schedule|reserve)/i;
/** Names of tools that finish the work. */
export const endings: RegExp = /^(task_?complete|finish|done|submit_?(result|answer)|final_?answer|end)$/i;

/** The tools that were not called yet: first those that read, then those that act, at last the one that finishes. */
export function nextTools({ prompt, tools }: PlanContext): LanguageModelV4FunctionTool[] {
  const called = new Set(prompt.outcomes.map(({ toolName }) => toolName));
  const open = tools.filter(({ name }) => !called.has(name));
  const groups = [
    open.filter(({ name }) => !effects.test(name) && !endings.test(name)),
    open.filter(({ name }) => effects.test(name) && !endings.test(name)),
    open.filter(({ name }) => endings.test(name)),
  ];
  return (groups.find((group) => group.length > 0) ?? []).slice(0, mostCallsPerStep);
}

/** Calls of the tools, with a sentence before them; nothing without tools. */
export function announce(
  { prompt, hints }: PlanContext,
  chosen: readonly LanguageModelV4FunctionTool[],
): Plan | undefined {
  if (chosen.length === 0) return undefined;
  const names = chosen.map(({ name }) => name);
  const { allOutcomes, isFirst, window } = prompt;
  // the calls of earlier tasks are hidden
  const isOpening = allOutcomes.length === 0 && (window === undefined || isFirst);
  return {
    text: isOpening ? writeIntroduction(prompt, names) : writeNextStep(names),
    calls: chosen.map((tool) => ({ name: tool.name, input: inputFor(tool, hints, prompt) })),
  };
}

/** Arguments for a tool; a tool that finishes the work gets the result. */
function inputFor(tool: LanguageModelV4FunctionTool, hints: Hints, prompt: ParsedPrompt): unknown {
  const input = argumentsFromSchema(tool.inputSchema, turnTo(tool.name, hints));
  if (!endings.test(tool.name) || typeof input !== 'object' || input === null) return input;
  return 'summary' in input && typeof input.summary === 'string'
    ? { ...input, summary: writeAnswer(prompt, hints) }
    : input;
}

/** The hints with the numbers after the tool's own word first: "and add 12 and 30" for `add`. */
function turnTo(name: string, hints: Hints): Hints {
  const word = toWords(name).split(' ')[0] ?? '';
  const at = hints.request.toLowerCase().indexOf(word);
  if (word.length < 3 || at < 0) return hints;
  const { numbers } = readHints(hints.request.slice(at), hints.fields, hints.now);
  return { ...hints, numbers: [...new Set([...numbers, ...hints.numbers])] };
}
