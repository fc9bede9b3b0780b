import type { SerializedError } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import { PromptProvider, usePrompt } from '@cueline/react';
import { StrictMode, useEffect, type ReactElement } from 'react';
import { expect, test, vi } from 'vitest';
import { manualExecutor, type ManualExecutor } from './support/executors.ts';
import { greet, type Greeted, Greeting } from './support/greeting.tsx';
import { mount, watchConsole } from './support/mount.tsx';

/** Shows a run by its id, and says nothing of how it is to be run. */
function Status({ id, seen }: { id: string; seen: (run: Greeted) => void }): ReactElement {
  const run = usePrompt(greet, { id });
  seen(run);
  return <p data-testid="other">{`${run.status}: ${run.text}`}</p>;
}

test('the output of an attempt that is retried is removed from the text and from the messages', async () => {
  const seen: Greeted[] = [];
  const model = scriptedModel([
    [
      { text: 'Hello, A', delay: 20 },
      { delay: 400, error: { message: 'reset' } },
    ],
    [{ delay: 60, text: 'Good day, Ada.' }],
  ]);
  const page = mount(
    <Greeting
      model={model}
      options={{ streamRetries: 1 }}
      startKey="first"
      seen={(run) => void seen.push(run)}
    />,
  );
  await expect.poll(() => page.text('status')).toBe('done');
  expect(page.text('text')).toBe('Good day, Ada.');
  expect(seen.map(({ text }) => text)).toContain('Hello, A');
  expect(JSON.stringify(seen.at(-1)!.messages)).not.toContain('Hello, A');
  expect(seen.at(-1)!.messages.at(-1)!.parts).toHaveLength(2);
});

test('a start in a mount effect is one model call in StrictMode', async () => {
  const complaints = watchConsole();
  const model = scriptedModel(['Hello, Ada.', 'Never said.']);
  const page = mount(
    <StrictMode>
      <Greeting model={model} startKey="first" />
    </StrictMode>,
  );
  await expect.poll(() => page.text('status')).toBe('done');
  expect(page.text('text')).toBe('Hello, Ada.');
  expect(model.calls).toHaveLength(1);
  expect(complaints).not.toHaveBeenCalled();
});

test('nothing starts by itself', async () => {
  const executor = manualExecutor();
  const page = mount(<Greeting executor={executor} />);
  await expect.poll(() => page.text('status')).toBe('idle');
  expect(executor.requests).toEqual([]);
});

test('a run continues while nothing shows it, and a remount by id shows it live', async () => {
  const complaints = watchConsole();
  const executor = manualExecutor();
  const page = mount(
    <PromptProvider executor={executor}>
      <Greeting id="greeting" startKey="first" />
    </PromptProvider>,
  );
  await expect.poll(() => executor.requests.length).toBe(1);
  executor.write('Hello');
  await expect.poll(() => page.text('text')).toBe('Hello');

  page.show(<PromptProvider executor={executor}>{null}</PromptProvider>);
  await expect.poll(() => page.text('text')).toBeUndefined();
  executor.write(', Ada');
  page.show(
    <PromptProvider executor={executor}>
      <Greeting id="greeting" startKey="first" />
    </PromptProvider>,
  );
  await expect.poll(() => page.text('text')).toBe('Hello, Ada');
  executor.write('.');
  await expect.poll(() => page.text('text')).toBe('Hello, Ada.');
  executor.finish();
  await expect.poll(() => page.text('status')).toBe('done');
  expect(executor.requests).toHaveLength(1);
  expect(complaints).not.toHaveBeenCalled();
});

test('a continued conversation is still there after a remount that starts with the same key', async () => {
  const model = scriptedModel(['Hello, Ada.', 'Fine, thanks.', 'Never said.']);
  const seen = vi.fn<(run: Greeted) => void>();
  const page = mount(
    <PromptProvider model={model}>
      <Greeting id="greeting" startKey="first" seen={seen} />
    </PromptProvider>,
  );
  await expect.poll(() => page.text('status')).toBe('done');
  await seen.mock.lastCall![0].send('How are you?');
  page.show(<PromptProvider model={model}>{null}</PromptProvider>);
  page.show(
    <PromptProvider model={model}>
      <Greeting id="greeting" startKey="first" seen={seen} />
    </PromptProvider>,
  );
  await expect.poll(() => page.text('text')).toBe('Fine, thanks.');
  expect(seen.mock.lastCall![0].messages).toHaveLength(4);
  expect(model.calls).toHaveLength(2);
});

test('unmounting without an id causes no errors or warnings', async () => {
  const complaints = watchConsole();
  const executor = manualExecutor();
  const page = mount(<Greeting executor={executor} startKey="first" />);
  await expect.poll(() => executor.requests.length).toBe(1);
  page.unmount();
  executor.write('Nobody reads this.');
  executor.finish();
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(complaints).not.toHaveBeenCalled();
});

test('components with the same id share one run', async () => {
  const executor = manualExecutor();
  const seen: Greeted[] = [];
  const page = mount(
    <PromptProvider executor={executor}>
      <Greeting id="greeting" startKey="first" seen={(run) => (seen[0] = run)} />
      <PromptProvider>
        <Status id="greeting" seen={(run) => (seen[1] = run)} />
      </PromptProvider>
    </PromptProvider>,
  );
  await expect.poll(() => executor.requests.length).toBe(1);
  executor.write('Hello.');
  await expect.poll(() => page.text('other')).toBe('running: Hello.');
  expect(page.text('text')).toBe('Hello.');
  expect(seen[0]?.run).toBe(seen[1]?.run);
  seen[1]?.stop();
  await expect.poll(() => page.text('status')).toBe('stopped');
  expect(executor.requests).toHaveLength(1);
});

test('a component with no model, or an undefined one, keeps the model of another component', async () => {
  const executor = manualExecutor();
  let other: Greeted | undefined;
  const page = mount(
    <PromptProvider executor={executor} model="test:default" options={{ temperature: 1, maxOutputTokens: 9 }}>
      <Greeting id="greeting" model="test:chosen" options={{ temperature: 0 }} startKey="first" />
      <Greeting id="greeting" model={undefined} options={undefined} />
      <Status id="greeting" seen={(run) => (other = run)} />
    </PromptProvider>,
  );
  await expect.poll(() => executor.requests.length).toBe(1);
  executor.finish();
  await expect.poll(() => page.text('other')).toBe('done: ');
  void other?.send('And Grace?');
  expect(executor.requests.map(({ model, options }) => ({ model, options }))).toEqual([
    { model: 'test:chosen', options: { temperature: 0, maxOutputTokens: 9 } },
    { model: 'test:chosen', options: { temperature: 0, maxOutputTokens: 9 } },
  ]);
});

test('a route gets the model that stands beside it, and no other default', async () => {
  const onRoute = (): ManualExecutor => Object.assign(manualExecutor(), { remote: true });
  const route = onRoute();
  const withModel = { ...greet, model: 'test:of-the-definition' };
  function WithModel(): null {
    const { start } = usePrompt(withModel, { executor: route });
    useEffect(() => void start({ name: 'Ada' }, { key: 'first' }), [start]);
    return null;
  }
  const inner = onRoute();
  const beside = onRoute();
  mount(
    <PromptProvider model="test:of-the-page">
      <Greeting executor={route} startKey="first" />
      <Greeting executor={route} startKey="first" model="test:asked-for" />
      <WithModel />
      <PromptProvider executor={inner}>
        <Greeting startKey="first" />
      </PromptProvider>
      <PromptProvider executor={beside} model="test:beside">
        <Greeting startKey="first" />
      </PromptProvider>
    </PromptProvider>,
  );
  const models = ({ requests }: ManualExecutor): string[] =>
    requests.map(({ model }) => (typeof model === 'string' ? model : 'none')).toSorted();
  await expect.poll(() => models(route)).toEqual(['none', 'none', 'test:asked-for']);
  await expect.poll(() => models(inner)).toEqual(['none']);
  await expect.poll(() => models(beside)).toEqual(['test:beside']);
});

test('the next start uses the latest model, and the default again once none is set', async () => {
  const executor = manualExecutor();
  let run: Greeted | undefined;
  const seen = (latest: Greeted): void => void (run = latest);
  const withModel = (options: { model?: string }): ReactElement => (
    <PromptProvider executor={executor} model="test:default">
      <Greeting {...options} seen={seen} name={options.model ?? 'none'} />
      <p data-testid="model">{options.model ?? 'none'}</p>
    </PromptProvider>
  );
  const page = mount(withModel({ model: 'test:first' }));
  for (const options of [{ model: 'test:first' }, { model: 'test:second' }, {}]) {
    page.show(withModel(options));
    await expect.poll(() => page.text('model')).toBe(options.model ?? 'none');
    void run?.start({ name: 'Ada' });
  }
  expect(executor.requests.map(({ model }) => model)).toEqual(['test:first', 'test:second', 'test:default']);
});

test('stop ends the run as stopped and keeps what it has', async () => {
  const model = scriptedModel([[{ text: 'Hello, ' }, { delay: 60_000 }, { text: 'Ada.' }]]);
  let run: Greeted | undefined;
  const page = mount(<Greeting model={model} startKey="first" seen={(latest) => (run = latest)} />);
  await expect.poll(() => page.text('text')).toBe('Hello, ');
  const answer = run?.start({ name: 'Ada' }, { key: 'first' });
  run?.stop();
  await expect.poll(() => page.text('status')).toBe('stopped');
  expect(page.text('text')).toBe('Hello, ');
  expect(model.calls[0]?.abortSignal?.aborted).toBe(true);
  await expect(answer).rejects.toMatchObject({ code: 'aborted' });
});

test("a failed run shows the provider's message, and calls onError with its error", async () => {
  const onError = vi.fn<(error: SerializedError) => void>();
  const onDone = vi.fn<() => void>();
  const model = scriptedModel([[{ throw: { message: 'No such model: gpt-0', status: 404 } }]]);
  const page = mount(<Greeting model={model} startKey="first" onError={onError} onDone={onDone} />);
  await expect.poll(() => page.text('status')).toBe('error');
  expect(page.text('error')).toContain('No such model: gpt-0');
  expect(onError).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: 'model_denied' }));
  expect(onDone).not.toHaveBeenCalled();
});

test('send continues the conversation', async () => {
  const model = scriptedModel(['Hello, Ada.', 'Hello, Grace.']);
  let run: Greeted | undefined;
  const page = mount(<Greeting model={model} startKey="first" seen={(latest) => (run = latest)} />);
  await expect.poll(() => page.text('status')).toBe('done');
  const answer = run?.send('And Grace?');
  await expect.poll(() => page.text('text')).toBe('Hello, Grace.');
  await expect(answer).resolves.toBe('Hello, Grace.');
  expect(model.calls[1]?.prompt.map(({ role, content }) => ({ role, content }))).toMatchObject([
    { role: 'user', content: [{ type: 'text', text: 'Greet Ada.' }] },
    { role: 'assistant', content: [{ type: 'text', text: 'Hello, Ada.' }] },
    { role: 'user', content: [{ type: 'text', text: 'And Grace?' }] },
  ]);
  await expect.poll(() => run?.status).toBe('done');
  expect(run?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
});
