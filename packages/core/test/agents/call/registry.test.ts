import { definePrompt } from '@cueline/core';
import { defineAgent } from '@cueline/core/agents';
import { createAgentRegistry } from '@cueline/core/agents';
import { scriptedModel } from '@cueline/core/testing';
import { expect, test } from 'vitest';
import { refusalOf } from '../../support/refusal.ts';

const named = (name: string) => defineAgent({ name, instructions: 'Talk.' });

test('a registered agent is found by its name', async () => {
  const registry = createAgentRegistry();
  const editor = named('editor');
  expect(registry.register(editor)).toBe(editor);
  registry.register(named('researcher'));
  expect(registry.get('editor')).toBe(editor);
  expect([registry.has('editor'), registry.has('toString')]).toEqual([true, false]);
  expect(registry.names()).toEqual(['editor', 'researcher']);
  const { output } = await registry.get('researcher').call('Hi.', { model: scriptedModel(['Hello.']) });
  expect(output).toBe('Hello.');
});

test('a registered prompt is found, and calling it is an error that says that it is a prompt', () => {
  const registry = createAgentRegistry();
  const plan = registry.register(
    definePrompt('plan', (prompt, input: { city: string }) => prompt.$`${input.city}`),
  );
  const editor = registry.register(named('editor'));
  expect([registry.prompt('plan'), registry.prompt('editor')]).toEqual([plan, editor]);
  expect(refusalOf(() => registry.get('plan'))).toBe(
    'invalid_options: "plan" is a prompt, not an agent, so it cannot be called. Run it: runPrompt(agents.prompt(\'plan\'), { … }).',
  );
});

test('a name belongs to one definition until it is replaced', () => {
  const registry = createAgentRegistry();
  const first = registry.register(named('editor'));
  registry.register(first);
  const second = named('editor');
  expect(refusalOf(() => registry.register(second))).toBe(
    'invalid_options: The name "editor" is taken by another definition. Give this one another name, or write agents.register(definition, { replace: true }).',
  );
  expect(registry.get('editor')).toBe(first);
  registry.register(second, { replace: true });
  expect(registry.get('editor')).toBe(second);
});

test('an unknown name lists the known ones', () => {
  const registry = createAgentRegistry();
  expect(refusalOf(() => registry.get('editor'))).toMatch(/The registry is empty\. Import the module/);
  registry.register(named('editor'));
  registry.register(named('writer'));
  expect(refusalOf(() => registry.get('edtior'))).toBe(
    'invalid_options: No agent or prompt is registered as "edtior". There are: editor, writer. Did you mean editor?',
  );
  expect(refusalOf(() => registry.prompt('x'))).toMatch(/There are: editor, writer\.$/);
  expect(refusalOf(() => registry.register({} as never))).toMatch(
    /takes what defineAgent or definePrompt returns/,
  );
});
