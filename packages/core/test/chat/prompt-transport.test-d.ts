import { definePrompt, tool } from '@cueline/core';
import { PromptTransport, type ChatCall, type PromptUIMessage } from '@cueline/core/ai-sdk';
import type { ChatTransport, UIMessage } from 'ai';
import { expectTypeOf, test } from 'vitest';
import * as z from 'zod';

const plan = definePrompt('plan', (prompt, { city }: { city: string }) => {
  prompt.$`Plan a day in ${city}.`;
});
const look = tool('look', 'Looks', z.object({ at: z.string() }), ({ at }) => at);
const plain = definePrompt('plain', (prompt) => void prompt, {
  output: z.object({ said: z.string() }),
  tools: [look],
});

test('a prompt with an input needs the input or a function that returns it', () => {
  const transports = [
    new PromptTransport(plan, { input: { city: 'Porto' } }),
    new PromptTransport(plan, { input: async () => ({ city: 'Porto' }) }),
    new PromptTransport(plan, {
      input(call) {
        expectTypeOf(call).toEqualTypeOf<ChatCall>();
        return { city: String(call.metadata) };
      },
    }),
    // @ts-expect-error it takes an input
    new PromptTransport(plan),
    // @ts-expect-error and not without a city
    new PromptTransport(plan, { input: {} }),
    // @ts-expect-error nor made without one
    new PromptTransport(plan, { input: () => ({}) }),
  ];
  expectTypeOf(transports[0]!).toExtend<ChatTransport<UIMessage>>();
});

test('a prompt without an input needs nothing, and fits any chat', () => {
  expectTypeOf(new PromptTransport(plain)).toExtend<ChatTransport<UIMessage>>();
  expectTypeOf(new PromptTransport(plain)).toExtend<ChatTransport<PromptUIMessage>>();
});
