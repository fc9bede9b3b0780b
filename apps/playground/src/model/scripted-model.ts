import type {
  JSONSchema7,
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider';
import {
  demoModel,
  scriptedModel,
  type ScriptedModelOptions,
  type ScriptedPart,
  type ScriptedTurn,
} from '@cueline/core/testing';
import type { ScriptedAnswer } from '../examples/scripted-answer.ts';
import { findAnswer, hasTurn, whenOf } from './played-answers.ts';

/**
 * How to play scripted answers. `hurried`: without their pauses, for tests. `played`: the numbers of the scripted
 * answers that were played before.
 */
export type AnswerModelOptions = ScriptedModelOptions & { hurried?: boolean; played?: readonly number[] };

/** Shown once, when the scripted answers of an example no longer fit. */
const beyondScript =
  'The simulated model has no scripted answer to this request. From here on it follows general rules, and understands ' +
  'nothing. Choose a model at the top for real answers.';

/**
 * A model that plays an example's scripted answers: each call gets the first unused scripted answer that matches,
 * even if agents work side by side. If none matches, because the user has intervened or edited the example, the
 * rule-based demo model answers, with one warning.
 */
export function scriptedModelOf(
  scriptedAnswers: readonly ScriptedAnswer[],
  options: AnswerModelOptions = {},
): LanguageModelV4 {
  const { hurried = false, played: over = [], ...modelOptions } = options;
  const demo = demoModel(hurried ? { pace: 0 } : {});
  const played = new Set(over);
  let hasWarned = false;

  /** The model that plays the next scripted answer; undefined if none fits. */
  function nextAnswer(call: LanguageModelV4CallOptions): LanguageModelV4 | undefined {
    const request = JSON.stringify(call.prompt);
    const index = findAnswer(scriptedAnswers, played, request);
    const scriptedAnswer = scriptedAnswers[index];
    if (scriptedAnswer === undefined) return undefined;
    played.add(index);
    if (isChecked(scriptedAnswer) && !isPlayable(turnOf(scriptedAnswer), call, request)) {
      // the later scripted answers of the example continue from this one
      for (const [at, other] of scriptedAnswers.entries())
        if (whenOf(other) === whenOf(scriptedAnswer)) played.add(at);
      return undefined;
    }
    const turn = withIds(turnOf(scriptedAnswer), index);
    return scriptedModel([hurried ? withoutPauses(turn) : turn], modelOptions);
  }

  return {
    specificationVersion: 'v4',
    provider: 'simulated',
    modelId: 'scripted',
    supportedUrls: {},
    async doStream(call) {
      const scriptedAnswer = nextAnswer(call);
      if (scriptedAnswer !== undefined) return scriptedAnswer.doStream(call);
      const result = await demo.doStream(call);
      if (hasWarned) return result;
      hasWarned = true;
      return { ...result, stream: result.stream.pipeThrough(warnAtStart()) };
    },
    doGenerate: async (call) => (nextAnswer(call) ?? demo).doGenerate(call),
  };
}

/** Adds the warning to the first part of an answer. */
function warnAtStart(): TransformStream<LanguageModelV4StreamPart, LanguageModelV4StreamPart> {
  return new TransformStream({
    transform(part, controller) {
      const warning = { type: 'other', message: beyondScript } as const;
      controller.enqueue(
        part.type === 'stream-start' ? { ...part, warnings: [...part.warnings, warning] } : part,
      );
    },
  });
}

/** True if the request has every tool that a turn calls, with such arguments, and every number that it states. */
function isPlayable(
  turn: ScriptedTurn,
  { tools = [] }: LanguageModelV4CallOptions,
  request: string,
): boolean {
  const parts = typeof turn === 'string' ? [turn] : turn;
  const known = new Set(numbersIn(request));
  return parts.toReversed().every((part) => {
    if (typeof part === 'string') return numbersIn(part).every((number) => known.has(number));
    if (!('toolCall' in part)) return true;
    const { name, input } = part.toolCall;
    for (const number of numbersIn(JSON.stringify(input))) known.add(number);
    const tool = tools.find((one) => one.name === name);
    return tool?.type === 'function' && takes(tool.inputSchema, input);
  });
}

/** The numbers in a text, without times of day, which are the model's own: other numbers come from tools. */
function numbersIn(text: string): number[] {
  return (text.replaceAll(/\d{1,15}:\d{1,15}/g, '').match(/\d+(?:\.\d+)?/g) ?? []).map(Number);
}

/** True if an object with these members roughly fits a schema: checks the names and the values of an enum. */
function takes(schema: JSONSchema7, input: unknown): boolean {
  if (typeof input !== 'object' || input === null) return false;
  const { properties = {}, required = [] } = schema;
  const hasAll = required.every((name) => Object.hasOwn(input, name));
  return (
    hasAll &&
    Object.entries(input).every(([name, value]) => {
      const property = properties[name];
      if (property === undefined) return schema.additionalProperties !== false;
      const allowed = typeof property === 'object' ? property.enum : undefined;
      return allowed === undefined || allowed.includes(value as string);
    })
  );
}

function turnOf(scriptedAnswer: ScriptedAnswer): ScriptedTurn {
  return hasTurn(scriptedAnswer) ? scriptedAnswer.turn : scriptedAnswer;
}

function isChecked(scriptedAnswer: ScriptedAnswer): boolean {
  return hasTurn(scriptedAnswer) && scriptedAnswer.checked === true;
}

/**
 * Makes the ids of calls unique: each scripted answer is a separate scripted model, which starts counting from the
 * beginning.
 */
function withIds(turn: ScriptedTurn, answer: number): ScriptedTurn {
  if (typeof turn === 'string') return turn;
  return turn.map((part, index): string | ScriptedPart =>
    typeof part === 'object' && 'toolCall' in part
      ? { ...part, toolCall: { id: `call-${answer}-${index}`, ...part.toolCall } }
      : part,
  );
}

function withoutPauses(turn: ScriptedTurn): ScriptedTurn {
  if (typeof turn === 'string') return turn;
  return turn.map((part): string | ScriptedPart => (typeof part === 'string' ? part : { ...part, delay: 0 }));
}
