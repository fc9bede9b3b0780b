import { definePrompt, isPending, tool, type ClientToolContext } from '@cueline/core';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import { PromptProvider, usePrompt } from '@cueline/react';
import { StrictMode, useState, type ReactElement } from 'react';
import { expect, test, vi } from 'vitest';
import * as z from 'zod';
import { mount, settle } from './support/mount.tsx';

const picks: ScriptedTurn = [{ toolCall: { name: 'pickFile', input: { type: '.txt' } } }];
const files = definePrompt('files', (prompt) => prompt.$`Which file?`, {
  tools: [tool('pickFile', 'Picks a file', z.object({ type: z.string() }), { outputSchema: z.string() })],
});
const twice = definePrompt('twice', (prompt) => prompt.$`Which files?`, {
  tools: [
    tool('pickFile', 'Picks a file', z.object({ type: z.string() }), {
      outputSchema: z.string(),
      repeatable: true,
    }),
  ],
});

test('a component answers a client tool, once, in StrictMode too', async () => {
  const pickFile = vi.fn<(input: { type: string }, context: ClientToolContext) => Promise<string>>(
    async ({ type }) => `a${type}`,
  );
  const model = scriptedModel([picks, 'Thanks.']);
  function Files(): ReactElement {
    const run = usePrompt(files, { model, tools: { pickFile } });
    return (
      <button data-testid="shown" onClick={() => void run.start()}>
        {`${run.status}: ${run.toolCalls[0]?.output ?? ''} ${run.text}`}
      </button>
    );
  }
  const page = mount(
    <StrictMode>
      <Files />
    </StrictMode>,
  );
  await expect.poll(() => page.text('shown')).toBe('idle:  ');
  document.querySelector<HTMLElement>('[data-testid=shown]')?.click();
  await expect.poll(() => page.text('shown')).toBe('done: a.txt Thanks.');
  expect(pickFile).toHaveBeenCalledOnce();
});

test('the function of the latest render is called', async () => {
  const model = scriptedModel([picks, picks, 'Thanks.']);
  function Files(): ReactElement {
    const [name, setName] = useState('one');
    const run = usePrompt(twice, {
      model,
      tools: {
        pickFile: () => {
          setName('two');
          return name;
        },
      },
    });
    return (
      <button data-testid="shown" onClick={() => void run.start()}>
        {run.toolCalls.map(({ output }) => output).join(' ')}
      </button>
    );
  }
  const page = mount(<Files />);
  await expect.poll(() => page.text('shown')).toBe('');
  document.querySelector<HTMLElement>('[data-testid=shown]')?.click();
  await expect.poll(() => page.text('shown')).toBe('one two');
});

test('the component that was mounted last answers, and without any the call waits', async () => {
  const model = scriptedModel([picks, picks, 'Thanks.']);
  const called: string[] = [];
  function Files({ name }: { name: string }): ReactElement {
    const run = usePrompt(twice, {
      id: 'files',
      tools: {
        pickFile: () => {
          called.push(name);
          return name;
        },
      },
    });
    return (
      <button data-testid={name} onClick={() => void run.start()}>
        {run.status}
      </button>
    );
  }
  function Watcher(): ReactElement {
    const run = usePrompt(twice, { id: 'files' });
    return (
      <button data-testid="shown" onClick={() => void run.start()}>
        {`${run.status} ${run.clientToolCalls.filter(isPending).length}`}
      </button>
    );
  }
  const show = (...children: ReactElement[]): ReactElement => (
    <PromptProvider model={model}>
      <Watcher />
      {children}
    </PromptProvider>
  );
  const page = mount(show());
  await expect.poll(() => page.text('shown')).toBe('idle 0');
  document.querySelector<HTMLElement>('[data-testid=shown]')?.click();
  await expect.poll(() => page.text('shown')).toBe('waiting 1');
  await settle();
  expect(called).toEqual([]);
  page.show(show(<Files key="a" name="a" />));
  await expect.poll(() => called).toEqual(['a', 'a']);
  await expect.poll(() => page.text('shown')).toBe('done 0');
});

test('a question to the user is answered through the UI', async () => {
  const model = scriptedModel([
    [{ toolCall: { name: 'askUser', input: { question: 'Red or blue?' } } }],
    'Red.',
  ]);
  const paint = definePrompt('paint', (prompt) => {
    prompt.defTool('askUser', 'Asks the user', z.object({ question: z.string() }), {
      outputSchema: z.string(),
    });
    prompt.$`Paint it.`;
  });
  function Paint(): ReactElement {
    const run = usePrompt(paint, { model });
    const question = run.clientToolCalls.find(isPending);
    return (
      <button
        data-testid="shown"
        onClick={() =>
          question === undefined
            ? void run.start()
            : void run.respondToClientTool(question.clientCallId, { output: 'red' })
        }
      >
        {question === undefined ? `${run.status} ${run.text}` : JSON.stringify(question.input)}
      </button>
    );
  }
  const page = mount(<Paint />);
  const click = () => document.querySelector<HTMLElement>('[data-testid=shown]')?.click();
  await expect.poll(() => page.text('shown')).toBe('idle ');
  click();
  await expect.poll(() => page.text('shown')).toBe('{"question":"Red or blue?"}');
  click();
  await expect.poll(() => page.text('shown')).toBe('done Red.');
});
