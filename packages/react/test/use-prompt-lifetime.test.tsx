import { definePrompt, type RunStorage } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import { PromptProvider, createRunRegistry, usePrompt, type PromptRun } from '@cueline/react';
import { Activity, StrictMode, type ReactElement } from 'react';
import { expect, onTestFinished, test, vi } from 'vitest';
import { freshDatabase } from './indexeddb/logs.ts';
import { manualExecutor } from './support/executors.ts';
import { greet, Greeting } from './support/greeting.tsx';
import { hasActivity, mount, settle } from './support/mount.tsx';

test('a function written in the component is one run, and each start calls the latest one', async () => {
  const model = scriptedModel(['One.', 'Two.']);
  const runs: PromptRun[] = [];
  function Planner({ city, seen }: { city: string; seen: (run: PromptRun) => void }): ReactElement {
    const run = usePrompt((prompt) => prompt.$`Plan a day in ${city}.`, { model });
    seen(run);
    return <p data-testid="plan">{`${city}: ${run.text}`}</p>;
  }
  const seen = (run: PromptRun): void => void runs.push(run);
  const page = mount(<Planner city="Lisbon" seen={seen} />);
  await expect.poll(() => page.text('plan')).toBe('Lisbon: ');
  await runs.at(-1)?.start();
  await expect.poll(() => page.text('plan')).toBe('Lisbon: One.');
  page.show(<Planner city="Porto" seen={seen} />);
  await expect.poll(() => page.text('plan')).toBe('Porto: One.');
  await runs[0]?.start();
  await expect.poll(() => page.text('plan')).toBe('Porto: Two.');
  expect(new Set(runs.map(({ run }) => run)).size).toBe(1);
  expect(model.calls.map(({ prompt }) => JSON.stringify(prompt.at(-1)?.content))).toEqual([
    expect.stringContaining('Lisbon'),
    expect.stringContaining('Porto'),
  ]);
});

test('callbacks see the latest closure, and report each end once', async () => {
  const executor = manualExecutor();
  const told: string[] = [];
  const withCallbacks = (version: number): ReactElement => (
    <StrictMode>
      <Greeting
        executor={executor}
        startKey="first"
        onEvent={(event) => event.type === 'text-delta' && told.push(`${version} ${event.text}`)}
        onDone={(state) => told.push(`${version} done: ${state.finishReason}`)}
        onError={(error) => told.push(`${version} ${error.message}`)}
      />
      <p data-testid="version">{version}</p>
    </StrictMode>
  );
  const page = mount(withCallbacks(1));
  await expect.poll(() => executor.requests.length).toBe(1);
  executor.write('Hello');
  await expect.poll(() => told.length).toBe(1);
  page.show(withCallbacks(2));
  await expect.poll(() => page.text('version')).toBe('2');
  executor.write('.');
  executor.finish();
  await expect.poll(() => page.text('status')).toBe('done');
  page.show(withCallbacks(3));
  await expect.poll(() => page.text('version')).toBe('3');
  expect(told).toEqual(['1 Hello', '2 .', '2 done: stop']);
});

test('an error of a callback is reported, and the run is shown to its end', async () => {
  const reported: string[] = [];
  // ahead of Vitest's own listener, for which an uncaught error is a failed test
  const report = (event: ErrorEvent): void => {
    event.stopImmediatePropagation();
    reported.push(event.message);
  };
  window.addEventListener('error', report, { capture: true });
  onTestFinished(() => window.removeEventListener('error', report, { capture: true }));
  const executor = manualExecutor();
  const page = mount(
    <Greeting
      executor={executor}
      startKey="first"
      onEvent={({ type }) => {
        if (type === 'text-delta') throw new Error('a mistake in onEvent');
      }}
      onDone={() => {
        throw new Error('a mistake in onDone');
      }}
    />,
  );
  await expect.poll(() => executor.requests.length).toBe(1);
  executor.write('Hello.');
  executor.finish();
  await expect.poll(() => page.text('status')).toBe('done');
  expect(page.text('text')).toBe('Hello.');
  expect(reported).toEqual(['Uncaught Error: a mistake in onEvent', 'Uncaught Error: a mistake in onDone']);
});

test.skipIf(!hasActivity)(
  'a run inside a hidden Activity continues, and is shown in its current state',
  async () => {
    const executor = manualExecutor();
    const onDone = vi.fn<() => void>();
    const withMode = (mode: 'visible' | 'hidden'): ReactElement => (
      <StrictMode>
        <Activity mode={mode}>
          <Greeting executor={executor} startKey="first" onDone={onDone} />
        </Activity>
        <p data-testid="mode">{mode}</p>
      </StrictMode>
    );
    const page = mount(withMode('visible'));
    await expect.poll(() => executor.requests.length).toBe(1);
    executor.write('Hello');
    await expect.poll(() => page.text('text')).toBe('Hello');
    page.show(withMode('hidden'));
    await expect.poll(() => page.text('mode')).toBe('hidden');
    executor.write(', Ada.');
    executor.finish();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(onDone).not.toHaveBeenCalled();
    page.show(withMode('visible'));
    await expect.poll(() => page.text('text')).toBe('Hello, Ada.');
    expect(page.text('status')).toBe('done');
    expect(onDone).toHaveBeenCalledOnce();
    expect(executor.requests).toHaveLength(1);
  },
);

test('onUnmount: stop ends the run when the last component goes, and not in StrictMode', async () => {
  const executor = manualExecutor();
  const registry = createRunRegistry();
  const withCount = (count: number): ReactElement => (
    <StrictMode>
      <PromptProvider registry={registry} executor={executor}>
        {count > 0 && <Greeting id="greeting" startKey="first" onUnmount="stop" />}
        {count > 1 && <Greeting id="greeting" startKey="first" onUnmount="stop" />}
      </PromptProvider>
      <p data-testid="count">{count}</p>
    </StrictMode>
  );
  const page = mount(withCount(2));
  const run = registry.open('greeting', greet);
  await expect.poll(() => run.getState().status).toBe('running');
  page.show(withCount(1));
  await expect.poll(() => page.text('count')).toBe('1');
  expect(run.getState().status).toBe('running');
  page.show(withCount(0));
  await expect.poll(() => run.getState().status).toBe('stopped');
  expect(executor.requests).toHaveLength(1);
});

test('code outside React opens the same run from the registry', async () => {
  const registry = createRunRegistry();
  const executor = manualExecutor();
  const run = registry.open('greeting', greet);
  run.configure({ executor });
  void run.start({ name: 'Ada' }, { key: 'first' });
  executor.write('Early.');
  const page = mount(
    <PromptProvider registry={registry}>
      <Greeting id="greeting" startKey="first" />
    </PromptProvider>,
  );
  await expect.poll(() => page.text('text')).toBe('Early.');
  expect(executor.requests).toHaveLength(1);
  const other = definePrompt('other', () => {});
  expect(() => registry.open('greeting', other)).toThrow(
    'Run "greeting" is of the prompt "greet", not "other". Use another id, or reload the page if you renamed it.',
  );
});

test('an id without a provider is refused, with what to do', async () => {
  const page = mount(<Greeting id="greeting" />);
  await expect.poll(() => page.errors).toHaveLength(1);
  expect(page.errors[0]).toMatchObject({
    code: 'invalid_options',
    message: expect.stringContaining('needs a <PromptProvider> above usePrompt. Add one'),
  });
});

test('a run of 2,000 deltas renders at most about once a frame', async () => {
  const executor = manualExecutor();
  let renders = 0;
  const count = (): void => void (renders += 1);
  const page = mount(<Greeting executor={executor} startKey="first" seen={count} />);
  await expect.poll(() => executor.requests.length).toBe(1);
  let frames = 0;
  let counting = true;
  const tick = (): void => {
    frames += 1;
    if (counting) requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
  renders = 0;
  for (let delta = 0; delta < 2_000; delta++) {
    executor.write('word ');
    if (delta % 8 === 0) await new Promise((resolve) => setTimeout(resolve));
  }
  executor.finish();
  await expect.poll(() => page.text('status')).toBe('done');
  counting = false;
  expect(page.text('text')).toBe('word '.repeat(2_000));
  expect(renders).toBeGreaterThan(2);
  expect(renders).toBeLessThanOrEqual(frames + 2);
});

test("onUnmount: 'stop' leaves a run to the tab that works on it, and ends it there", async () => {
  const { tab } = freshDatabase();
  const [one, other] = [tab(), tab()];
  const executor = manualExecutor();
  // each provider has runs of its own, as each tab has
  const tabWith = (storage: RunStorage, isShown: boolean): ReactElement => (
    <PromptProvider persist={storage} executor={executor}>
      {isShown && <Greeting id="greeting" onUnmount="stop" {...(storage === one && { startKey: 'first' })} />}
    </PromptProvider>
  );
  const first = mount(tabWith(one, true));
  await expect.poll(() => executor.requests.length).toBe(1);
  executor.write('Hello');
  await expect.poll(() => first.text('text')).toBe('Hello');
  const second = mount(tabWith(other, true));
  await expect.poll(() => second.text('text')).toBe('Hello');
  second.show(tabWith(other, false));
  await expect.poll(() => second.text('text')).toBe(undefined);
  await settle();
  executor.write(', Ada.');
  await expect.poll(() => first.text('text')).toBe('Hello, Ada.');
  second.show(tabWith(other, true));
  await expect.poll(() => second.text('text')).toBe('Hello, Ada.');
  first.show(tabWith(one, false));
  await expect.poll(() => second.text('status')).toBe('stopped');
});
