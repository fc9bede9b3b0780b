import { definePrompt, dryRun, runPrompt, type Prompt } from '@cueline/core';
import { memory, webStorage, type Memory, type MemoryStore } from '@cueline/core/plugins';
import { expectTypeOf, test } from 'vitest';
import * as z from 'zod';

const notes = memory();
const plugins = [notes];

test('prompt.remember is typed wherever the plugin is used', () => {
  void runPrompt(
    (prompt) => {
      expectTypeOf(prompt.remember).toEqualTypeOf<(key: string, value: string) => Promise<void>>();
      expectTypeOf(prompt.memoryStore).toEqualTypeOf<MemoryStore>();
      // @ts-expect-error a note is a text
      void prompt.remember('a', 1);
      prompt.defTaskList([
        { task: 'One', extend: (own) => void expectTypeOf(own).toExtend<Prompt & Memory>() },
      ]);
      prompt.defAgent('a', '', z.object({}), (_, own) => {
        // @ts-expect-error an agent takes plugins of its own
        void own.remember('a', 'b');
      });
      prompt.defAgent(
        'b',
        '',
        z.object({}),
        (_, own) => {
          expectTypeOf(own.remember).toEqualTypeOf<Memory['remember']>();
          own.defTaskList([{ task: 'Two', extend: (task) => task.remember('a', 'b') }]);
        },
        { plugins: [notes] },
      );
    },
    { model: 'm', options: { plugins: [notes] } },
  );
  definePrompt(
    'p',
    (prompt, input: { name: string }) => {
      expectTypeOf(prompt.remember(input.name, '')).toEqualTypeOf<Promise<void>>();
    },
    { plugins: [notes] },
  );
  void dryRun((prompt) => prompt.remember('a', 'b'), { options: { plugins: [notes] } });
  void runPrompt((prompt) => prompt.remember('a', 'b'), { model: 'm', options: { plugins } });
});

test('prompt.remember does not exist without the plugin', () => {
  expectTypeOf<Prompt>().not.toHaveProperty('remember');
});

test('a store may be sync or async, and localStorage is a store', () => {
  expectTypeOf(webStorage).parameter(0).toExtend<{ readonly length: number }>();
  memory({
    store: { get: async () => null, set: async () => {}, delete: () => true, list: async () => ['a'] },
  });
  // @ts-expect-error a note is a text
  memory({ store: { get: () => 1, set: () => {}, delete: () => true, list: () => [] } });
});
