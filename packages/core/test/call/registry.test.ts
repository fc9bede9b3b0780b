import { CuelineError, definePrompt } from '@cueline/core';
import { expect, test } from 'vitest';
import { createAgentRegistry } from '../../src/call/registry.ts';

const named = (name: string) => definePrompt(name, (prompt) => prompt.$`Hi.`);

function faultOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (CuelineError.isInstance(error)) return `${error.code}: ${error.message}`;
    throw error;
  }
  throw new Error('did not throw');
}

test('what is registered is found by its name', () => {
  const registry = createAgentRegistry();
  const editor = named('editor');
  expect(registry.register(editor)).toBe(editor);
  registry.register(named('researcher'));
  expect(registry.get('editor')).toBe(editor);
  expect([registry.has('editor'), registry.has('toString')]).toEqual([true, false]);
  expect(registry.names()).toEqual(['editor', 'researcher']);
});

test('a name stands for one definition, unless that is replaced', () => {
  const registry = createAgentRegistry();
  const first = registry.register(named('editor'));
  registry.register(first);
  const second = named('editor');
  expect(faultOf(() => registry.register(second))).toBe(
    'invalid_options: The name "editor" is taken by another definition. Give this one another name, or write agents.register(definition, { replace: true }).',
  );
  expect(registry.get('editor')).toBe(first);
  registry.register(second, { replace: true });
  expect(registry.get('editor')).toBe(second);
});

test('an unknown name is told what there is', () => {
  const registry = createAgentRegistry();
  expect(faultOf(() => registry.get('editor'))).toMatch(/None is registered yet\. Import the module/);
  registry.register(named('editor'));
  registry.register(named('writer'));
  expect(faultOf(() => registry.get('edtior'))).toBe(
    'invalid_options: No agent or prompt is registered as "edtior". There are: editor, writer. Did you mean editor?',
  );
  expect(faultOf(() => registry.get('x'))).toMatch(/There are: editor, writer\.$/);
  expect(faultOf(() => registry.register({} as never))).toMatch(
    /takes what defineAgent or definePrompt returns/,
  );
});
