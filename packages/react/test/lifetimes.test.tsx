import { definePrompt, type PromptDefinition, type PromptTypes, type RunStorage } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import { PromptProvider, usePrompt, type PromptRun, type UsePromptOptions } from '@cueline/react';
import { StrictMode, useEffect, useLayoutEffect, type ReactElement } from 'react';
import { expect, test, vi } from 'vitest';
import { manualExecutor } from './support/executors.ts';
import { greet, type Greeted, type GreetingProps } from './support/greeting.tsx';
import { mount, settle } from './support/mount.tsx';

function Greeting({ name = 'Ada', startKey, seen, ...options }: GreetingProps): ReactElement {
  const run = usePrompt(greet, options);
  const { start } = run;
  useLayoutEffect(() => seen?.(run), [seen, run]);
  useEffect(() => {
    if (startKey !== undefined) void start({ name }, { key: startKey });
  }, [start, name, startKey]);
  return <p data-testid="shown">{`${run.status}: ${run.text}`}</p>;
}

test('another React key makes another component with its own run', async () => {
  const executor = manualExecutor();
  const seen = vi.fn<(run: Greeted) => void>();
  const withKey = (key: string): ReactElement => (
    <StrictMode>
      <Greeting key={key} executor={executor} startKey="first" onUnmount="stop" seen={seen} />
    </StrictMode>
  );
  const page = mount(withKey('a'));
  await expect.poll(() => executor.requests.length).toBe(1);
  executor.write('Hello.');
  await expect.poll(() => page.text('shown')).toBe('running: Hello.');
  const { run: first } = seen.mock.lastCall![0];
  page.show(withKey('b'));
  await expect.poll(() => executor.requests.length).toBe(2);
  await expect.poll(() => page.text('shown')).toBe('running: ');
  expect(first.getState().status).toBe('stopped');
  expect(first.log().at(-1)).toMatchObject({ type: 'run-end', outcome: 'stopped' });
  expect(seen.mock.lastCall![0].run).not.toBe(first);
});

test('a component that changes its prompt has a run of each', async () => {
  const [first, second] = ['Hello.', 'Boa noite.'].map((text) =>
    definePrompt('say ' + text, (prompt) => prompt.$`Say ${text}`, { model: scriptedModel([text]) }),
  ) as [PromptDefinition, PromptDefinition];
  const runs: PromptRun<void, PromptTypes>[] = [];
  function Either({ isFirst }: { isFirst: boolean }): ReactElement {
    const run = usePrompt(isFirst ? first : second);
    useLayoutEffect(() => void runs.push(run), [run]);
    return <p data-testid="shown">{`${run.status}: ${run.text}`}</p>;
  }
  const page = mount(<Either isFirst />);
  await expect.poll(() => page.text('shown')).toBe('idle: ');
  await runs.at(-1)!.start();
  await expect.poll(() => page.text('shown')).toBe('done: Hello.');
  page.show(<Either isFirst={false} />);
  await expect.poll(() => page.text('shown')).toBe('idle: ');
  await runs.at(-1)!.start();
  await expect.poll(() => page.text('shown')).toBe('done: Boa noite.');
  page.show(<Either isFirst />);
  await expect.poll(() => page.text('shown')).toBe('done: Hello.');
});

test('another start key starts again, and the same one does not, whatever else changes', async () => {
  const executor = manualExecutor();
  const withProps = (startKey: string, name: string): ReactElement => (
    <Greeting executor={executor} startKey={startKey} name={name} />
  );
  const page = mount(withProps('first', 'Ada'));
  await expect.poll(() => executor.requests.length).toBe(1);
  page.show(withProps('first', 'Grace'));
  await settle();
  expect(executor.requests).toHaveLength(1);
  page.show(withProps('second', 'Grace'));
  await expect
    .poll(() => executor.requests.map(({ input }) => input))
    .toEqual([{ name: 'Ada' }, { name: 'Grace' }]);
});

test('a run continues under its id if the component changes the id', async () => {
  const executor = manualExecutor();
  const told: string[] = [];
  const withId = (id: string): ReactElement => (
    <StrictMode>
      <PromptProvider executor={executor}>
        <Greeting
          id={id}
          {...(id === 'a' ? { startKey: 'first' } : {})}
          onEvent={({ type }) => type === 'text-delta' && told.push(id)}
          onDone={() => told.push(`${id} done`)}
        />
      </PromptProvider>
    </StrictMode>
  );
  const page = mount(withId('a'));
  await expect.poll(() => executor.requests.length).toBe(1);
  executor.write('Hello');
  await expect.poll(() => page.text('shown')).toBe('running: Hello');
  page.show(withId('b'));
  await expect.poll(() => page.text('shown')).toBe('idle: ');
  executor.write(', Ada.');
  executor.finish();
  await settle();
  expect(page.text('shown')).toBe('idle: ');
  page.show(withId('a'));
  await expect.poll(() => page.text('shown')).toBe('done: Hello, Ada.');
  // callbacks are not called for events of a run that was not shown here
  expect(told).toEqual(['a']);
  expect(executor.requests).toHaveLength(1);
});

test('model, options and executor that change in the middle of a run count from the next start on', async () => {
  const [first, second] = [manualExecutor(), manualExecutor()];
  const seen = vi.fn<(run: Greeted) => void>();
  const page = mount(
    <Greeting executor={first} model="test:one" options={{ temperature: 0 }} startKey="first" seen={seen} />,
  );
  await expect.poll(() => first.requests.length).toBe(1);
  first.write('Hello');
  page.show(
    <Greeting executor={second} model="test:two" options={{ temperature: 1 }} startKey="first" seen={seen} />,
  );
  await settle();
  first.write(', Ada.');
  await expect.poll(() => page.text('shown')).toBe('running: Hello, Ada.');
  first.finish();
  await expect.poll(() => page.text('shown')).toBe('done: Hello, Ada.');
  expect(second.requests).toHaveLength(0);
  void seen.mock.lastCall![0].send('And Grace?');
  await expect.poll(() => second.requests.length).toBe(1);
  expect(first.requests).toMatchObject([{ model: 'test:one', options: { temperature: 0 } }]);
  expect(second.requests).toMatchObject([{ model: 'test:two', options: { temperature: 1 } }]);
});

test('a component that changes to another run keeps the settings of that run', async () => {
  const executor = manualExecutor();
  const seen = vi.fn<(run: Greeted) => void>();
  const withId = (id: string, options: UsePromptOptions): ReactElement => (
    <PromptProvider executor={executor} model="test:default">
      <Greeting id="b" model="test:chosen" />
      <Greeting id={id} {...options} seen={seen} />
    </PromptProvider>
  );
  const page = mount(withId('a', { model: 'test:other' }));
  await settle();
  page.show(withId('b', {}));
  await settle();
  void seen.mock.lastCall![0].start({ name: 'Ada' });
  expect(executor.requests).toMatchObject([{ model: 'test:chosen' }]);
});

test('onUnmount: keep is the default, and the last component may choose stop', async () => {
  const executor = manualExecutor();
  const runs: Greeted['run'][] = [];
  for (const onUnmount of [undefined, 'keep', 'stop'] as const) {
    const seen = vi.fn<(run: Greeted) => void>();
    const page = mount(<Greeting executor={executor} onUnmount={onUnmount} startKey="first" seen={seen} />);
    await expect.poll(() => page.text('shown')).toBe('running: ');
    runs.push(seen.mock.lastCall![0].run);
    page.unmount();
    await settle();
  }
  expect(runs.map((run) => run.getState().status)).toEqual(['running', 'running', 'stopped']);
});

test('an action that waits has the settings of its component, whichever component rendered last', async () => {
  const executor = manualExecutor();
  const storage: RunStorage = {
    load: () => settle(20).then(() => undefined),
    append: async () => {},
    remove: async () => {},
  };
  const seen = vi.fn<(run: Greeted) => void>();
  mount(
    <PromptProvider executor={executor} persist={storage}>
      <Greeting id="greeting" model="test:first" seen={seen} />
      <Greeting id="greeting" model="test:second" />
    </PromptProvider>,
  );
  await expect.poll(() => seen.mock.lastCall).toBeDefined();
  // it waits for the storage, and the others for the ends before them; meanwhile both components render
  const { start, send } = seen.mock.lastCall![0];
  void start({ name: 'Ada' });
  void send('And Grace?', { whenBusy: 'queue' });
  void start({ name: 'Mary' }, { whenBusy: 'queue' });
  for (const count of [1, 2, 3]) {
    await expect.poll(() => executor.requests.length).toBe(count);
    executor.finish();
  }
  expect(executor.requests.map(({ model }) => model)).toEqual(['test:first', 'test:first', 'test:first']);
});
