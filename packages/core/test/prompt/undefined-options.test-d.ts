import {
  audioPart,
  createRun,
  definePrompt,
  filePart,
  imagePart,
  textPart,
  tool,
  type Prompt,
  type PromptOptions,
} from '@cueline/core';
import { defineSession, runAgentSession } from '@cueline/core/agents';
import { createPromptLibrary } from '@cueline/core/library';
import { memory } from '@cueline/core/plugins';
import { scriptedModel } from '@cueline/core/testing';
import type { ModelMessage } from 'ai';
import { expectTypeOf, test } from 'vitest';
import * as z from 'zod';

declare const prompt: Prompt;
/** As a component gets it from its optional props. */
declare const text: string | undefined;
declare const count: number | undefined;
declare const flag: boolean | undefined;
declare const nothing: undefined;
declare const onMessagesUpdate: ((id: string, messages: ModelMessage[]) => void) | undefined;

const input = z.object({ city: z.string() });

test('an option that is undefined is the same as one that is left out', () => {
  const greet = definePrompt('greet', () => {}, { model: text, plugins: nothing });
  const plan = definePrompt('plan', () => {}, { model: text, input });
  expectTypeOf(createRun(plan).start).parameter(0).toEqualTypeOf<{ city: string }>();
  const options: PromptOptions = { temperature: count, maxRetries: count, toolChoice: nothing, seed: count };
  const limits: PromptOptions = {
    limits: { steps: count, tokens: count },
    timeout: { totalMs: count, toolMs: count },
  };
  createRun(
    definePrompt('say', () => {}, { output: nothing, tools: nothing }),
    { options: limits },
  );
  const maybe = definePrompt('may', () => {}, { output: flag ? z.object({ city: z.string() }) : undefined });
  expectTypeOf(createRun(maybe).start()).resolves.toEqualTypeOf<string | { city: string }>();
  createPromptLibrary([{ id: 'a', version: '1.0.0', name: 'A', userPrompt: 'Hi', description: text }]);
  const run = createRun(greet, { id: text, model: text, options });
  void run.respondToApproval('a', { approved: false, reason: text });
  const rules = { effect: nothing, idempotent: flag, needsApproval: flag, timeoutMs: count };
  tool('look', '', input, () => 1, { ...rules, beforeCall: nothing, onSuccess: nothing, onError: nothing });
  tool('ask', '', input, rules);
  prompt.defTool('look', '', input, () => 1, { ...rules, loopGuard: nothing, providerOptions: nothing });
  prompt.defAgent('help', '', input, () => {}, { model: text, plugins: nothing, responseSchema: nothing });
  prompt.defSystem('role', 'x', { providerOptions: nothing });
  prompt.defTaskList([{ task: 'x', validation: nothing, extend: nothing }], { maxAttempts: count });
  imagePart('x', { mediaType: text });
  textPart('x', { providerOptions: nothing });
  filePart('x', { mediaType: 'a/b', filename: text });
  audioPart('x', { mediaType: 'a/b', filename: text });
  prompt.defMessage('user', [{ type: 'image', image: 'x', mediaType: text }]);
  const callbacks = { onError: nothing, onMessagesUpdate, onBeforeSummarize: nothing };
  void runAgentSession('fast', { systemPrompt: 'x', maxTurns: count, callbacks });
  defineSession('work', { systemPrompt: 'x', model: text, callbacks });
  memory({ name: text, store: nothing });
  scriptedModel(['x'], { delay: count, modelId: text });
});
