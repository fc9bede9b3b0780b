import type { LanguageModelV4Prompt, LanguageModelV4Usage } from '@ai-sdk/provider';

/** A rough count of tokens: four characters each, as in English text. */
export function countTokens(characters: number): number {
  return Math.ceil(characters / 4);
}

/** The characters of a prompt, its parts as JSON. */
export function promptLength(prompt: LanguageModelV4Prompt): number {
  return prompt.reduce((sum, { content }) => {
    return sum + (typeof content === 'string' ? content.length : (JSON.stringify(content)?.length ?? 0));
  }, 0);
}

/** Token counts in the form in which models report them. */
export function usageOf(counts: {
  input: number;
  cached?: number | undefined;
  output: number;
  reasoning?: number | undefined;
}): LanguageModelV4Usage {
  const { input, cached = 0, output, reasoning = 0 } = counts;
  return {
    inputTokens: { total: input, noCache: input - cached, cacheRead: cached, cacheWrite: 0 },
    outputTokens: { total: output, text: output - reasoning, reasoning },
  };
}
