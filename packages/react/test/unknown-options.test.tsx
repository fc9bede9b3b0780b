import { definePrompt, type PromptOptions } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import { createRunRegistry, usePrompt } from '@cueline/react';
import { useEffect, type ReactElement } from 'react';
import { expect, test } from 'vitest';
import { mount, watchConsole } from './support/mount.tsx';

const greet = definePrompt('greet', (prompt) => prompt.$`Hi.`);

test.each<[string, object, string]>([
  [
    'an old name beside the options',
    { maxTokens: 5 },
    'maxTokens is now maxOutputTokens, which is an option',
  ],
  ['an old name in the options', { options: { maxTokens: 5 } as PromptOptions }, 'It is now maxOutputTokens'],
  ['a misspelt name', { trottle: 50 }, 'The run of "greet" has no "trottle". Did you mean throttle?'],
])('%s is an error of the run that says what to write', async (_what, options, message) => {
  const model = scriptedModel([]);
  function View(): ReactElement {
    const run = usePrompt(greet, { model, ...options });
    const { start } = run;
    useEffect(() => void start(undefined, { key: 'mount' }).catch(() => {}), [start]);
    return <p data-testid="error">{run.status === 'error' && run.error.message}</p>;
  }
  const page = mount(<View />);
  await expect.poll(() => page.text('error')).toContain(message);
  expect(model.calls).toHaveLength(0);
});

test.each<[string, object, string]>([
  [
    'a misspelt name',
    { maxBackgroud: 2 },
    'The run of "greet" has no "maxBackgroud". createRunRegistry has maxBackground: createRunRegistry({ maxBackground: 20 }).',
  ],
  ['a name that is like no other', { limit: 2 }, 'The run of "greet" has no "limit". There are: '],
])('%s among the options of a registry is an error of its runs', async (_what, options, message) => {
  const model = scriptedModel([]);
  const run = createRunRegistry(options).open('one', greet, { model });
  await expect(run.start()).rejects.toThrow(message);
  expect(run.getState().error?.message).toContain(message);
  expect(model.calls).toHaveLength(0);
});

test('an option of a registry that is undefined is left out', async () => {
  const options: object = { maxKept: undefined, limit: undefined };
  const registry = createRunRegistry(options);
  expect(await registry.open('one', greet, { model: scriptedModel(['Hi.']) }).start()).toBe('Hi.');
});

test('undefined in place of a prompt is an error that says what to write', async () => {
  watchConsole();
  const nothing = undefined as never;
  function View(): ReactElement {
    return <p>{usePrompt(nothing).status}</p>;
  }
  const page = mount(<View />);
  await expect.poll(() => String(page.errors[0])).toContain('has no function: definePrompt(');
});
