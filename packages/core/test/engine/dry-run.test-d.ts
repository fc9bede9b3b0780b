import { definePrompt, dryRun, type DryRun, type RunState } from '@cueline/core';
import { explain } from '@cueline/core/inspect';
import { expectTypeOf, test } from 'vitest';

test('dryRun asks for the input of a definition, and for nothing else', () => {
  const greet = definePrompt('greet', (prompt, input: { name: string }) => prompt.$`${input.name}`);
  expectTypeOf(dryRun(greet, { input: { name: 'Ada' }, step: 1 })).resolves.toEqualTypeOf<DryRun>();
  expectTypeOf(dryRun((prompt) => prompt.$`Hi.`)).resolves.toEqualTypeOf<DryRun>();
  // @ts-expect-error the prompt takes an input
  void dryRun(greet);
  // @ts-expect-error the prompt takes an input
  void dryRun(greet, { step: 1 });
});

test('explain takes a dry run, its request, or the request of a step', () => {
  expectTypeOf(explain).toBeCallableWith({} as DryRun);
  expectTypeOf(explain).toBeCallableWith({} as DryRun['request']);
  expectTypeOf(explain).toBeCallableWith({} as RunState['steps'][number]['request']);
});
