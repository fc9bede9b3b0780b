import { demoModel } from '@cueline/core/testing';
import { isStepCount, type ModelMessage, streamText, tool, type ToolChoice, type ToolSet } from 'ai';
import * as z from 'zod';

export const weather: ToolSet[string] = tool({
  description: 'Weather for a city',
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => ({ city, temperature: 21, sky: 'clear' }),
});

type Settings = {
  prompt?: string;
  messages?: ModelMessage[];
  instructions?: string;
  tools?: ToolSet;
  toolChoice?: ToolChoice<ToolSet>;
  steps?: number;
};

/** What the demo model did: texts and calls in order. */
export async function ask({ prompt = 'Hello', messages, steps = 20, ...rest }: Settings) {
  const result = streamText({
    model: demoModel({ pace: 0 }),
    ...(messages === undefined ? { prompt } : { messages }),
    stopWhen: isStepCount(steps),
    ...rest,
  });
  const calls: string[] = [];
  const steppedTexts: string[] = [''];
  for await (const part of result.stream) {
    if (part.type === 'text-delta') steppedTexts[steppedTexts.length - 1] += part.text;
    if (part.type === 'tool-call') calls.push(`${part.toolName} ${JSON.stringify(part.input)}`);
    if (part.type === 'finish-step') steppedTexts.push('');
    if (part.type === 'error') throw part.error;
  }
  steppedTexts.pop();
  return { calls, texts: steppedTexts, text: steppedTexts.at(-1) ?? '', usage: await result.usage };
}
