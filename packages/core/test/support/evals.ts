import type { LanguageModelV4 } from '@ai-sdk/provider';
import { definePrompt } from '@cueline/core';
import { defineEval, type EvalDefinition } from '@cueline/core/evals';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import * as z from 'zod';

/** A model that answers from the last user message; it counts its calls. */
export function modelOf(
  answer: (text: string, call: number) => ScriptedTurn | Promise<ScriptedTurn>,
  modelId = 'm',
): LanguageModelV4 & { readonly calls: number } {
  let calls = 0;
  const base = scriptedModel([], { modelId });
  return {
    ...base,
    get calls() {
      return calls;
    },
    async doStream(options) {
      const call = calls++;
      const last = options.prompt.findLast(({ role }) => role === 'user');
      const text = ((last?.content ?? []) as { text: string }[]).map(({ text }) => text).join('');
      return scriptedModel([await answer(text, call)], { modelId }).doStream(options);
    },
  };
}

/** Asks for the mood of a text. */
export const classify = definePrompt(
  'classify',
  (prompt, { TEXT }: { TEXT: string }) => {
    prompt.$`Given some text, classify it as POSITIVE or NEGATIVE: ${TEXT}`;
  },
  { input: z.object({ TEXT: z.string() }) },
);

/** Cases whose answer should be `ok`. */
export const numbers = (count: number): { input: { TEXT: string }; expect: string }[] =>
  Array.from({ length: count }, (_, index) => ({ input: { TEXT: `number ${index}` }, expect: 'ok' }));

/** An eval of this many cases, whose answer should be `ok`. */
export const many = (count: number, repeat = 1): EvalDefinition<{ TEXT: string }> =>
  defineEval({ prompt: classify, cases: numbers(count), repeat });
