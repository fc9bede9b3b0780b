import { appendFileSync } from 'node:fs';
import { definePrompt, type PromptDefinition } from '@cueline/core';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import * as z from 'zod';

/** Notes effects outside of runs and processes. */
export type Effects = { note(what: string): void };

export function effectsIn(file: string): Effects {
  return { note: (what) => appendFileSync(file, `${what}\n`) };
}

/** Returns a model that answers according to its messages: with the nth turn if they contain n answers. */
export function planned(
  turns: readonly ScriptedTurn[],
  { delay = 0, onCall = (): void => {} }: { delay?: number; onCall?: () => void } = {},
): ReturnType<typeof scriptedModel> {
  const model = scriptedModel(['unused']);
  return {
    ...model,
    doStream: (call) => {
      onCall();
      const answers = call.prompt.filter(({ role }) => role === 'assistant').length;
      return scriptedModel([turns[answers] ?? 'No turn is left.'], { chunkSize: 4, delay }).doStream(call);
    },
  };
}

export const after = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** A prompt of `steps` steps, each with one write and one read. Each tool takes `ms` milliseconds. */
export function writePages(effects: Effects, { steps = 3, ms = 0 } = {}): PromptDefinition<{ book: string }> {
  const turns = Array.from({ length: steps }, (_, page): ScriptedTurn => [
    { toolCall: { name: 'write', input: { page } } },
    { toolCall: { name: 'read', input: { page } } },
  ]);
  const model = planned([...turns, 'Written.'], { delay: ms / 10, onCall: () => effects.note('model') });
  return definePrompt(
    'writePages',
    (prompt, { book }) => {
      prompt.$`Write ${book}.`;
      prompt.defTool(
        'write',
        'Write',
        z.object({ page: z.number() }),
        async ({ page }) => {
          effects.note(`write ${book} ${page}`);
          await after(ms);
          return 'written';
        },
        { effect: 'write' },
      );
      prompt.defTool(
        'read',
        'Read',
        z.object({ page: z.number() }),
        async ({ page }) => {
          await after(ms);
          return `page ${page}`;
        },
        { effect: 'read' },
      );
    },
    { input: z.object({ book: z.string() }), model },
  );
}

/** A prompt that sends a letter, which needs an approval. */
export function sendLetter(effects: Effects): PromptDefinition<void> {
  const model = planned([[{ toolCall: { name: 'send', input: { to: 'Ada' } } }], 'Sent.']);
  return definePrompt(
    'sendLetter',
    (prompt) => {
      prompt.$`Send it.`;
      prompt.defTool(
        'send',
        'Send',
        z.object({ to: z.string() }),
        ({ to }) => {
          effects.note(`send ${to}`);
          return 'sent';
        },
        { effect: 'external', needsApproval: true },
      );
    },
    { model },
  );
}
