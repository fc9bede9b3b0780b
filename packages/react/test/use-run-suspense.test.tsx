import { createRun, definePrompt, type CuelineError, type RunEvent, type RunStorage } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import { createRunRegistry, PromptProvider, usePrompt, useRunSuspense, type RunPoint } from '@cueline/react';
import { Component, StrictMode, Suspense, useEffect, type ReactElement, type ReactNode } from 'react';
import { expect, test, vi } from 'vitest';
import * as z from 'zod';
import { manualExecutor, type ManualExecutor } from './support/executors.ts';
import { mount, settle, watchConsole } from './support/mount.tsx';

const greet = definePrompt('greet', (prompt) => {
  prompt.$`Greet Ada.`;
});

type WaitingRun = ReturnType<typeof createRun<void>>;

function Waiting({ run, point }: { run: WaitingRun; point: RunPoint }): ReactElement {
  const { status, text } = useRunSuspense(run, point);
  return <p data-testid="shown">{`${status}: ${text}`}</p>;
}

/** Shows the error that something below it throws. */
class Boundary extends Component<{ children: ReactNode }> {
  override state: { error?: CuelineError } = {};
  static getDerivedStateFromError(error: CuelineError): { error: CuelineError } {
    return { error };
  }
  override render(): ReactNode {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return <p data-testid="error">{error.code}</p>;
  }
}

function page(children: ReactNode): ReactElement {
  return (
    <StrictMode>
      <Boundary>
        <Suspense fallback={<p data-testid="waiting">…</p>}>{children}</Suspense>
      </Boundary>
    </StrictMode>
  );
}

function manualRun(): { run: WaitingRun; executor: ManualExecutor } {
  const executor = manualExecutor();
  return { run: createRun(greet, { executor }), executor };
}

test('hydrated: a run is shown once its storage has been read', async () => {
  let answer: ((events: readonly RunEvent[] | undefined) => void) | undefined;
  const storage: RunStorage = {
    load: () => new Promise((resolve) => (answer = resolve)),
    append: async () => {},
    remove: async () => {},
  };
  const run = createRun(greet, { storage, id: 'greeting' });
  const shown = mount(page(<Waiting run={run} point="hydrated" />));
  await expect.poll(() => shown.text('waiting')).toBe('…');
  await expect.poll(() => answer).toBeDefined();
  await settle();
  expect(shown.text('shown')).toBeUndefined();
  answer?.(undefined);
  await expect.poll(() => shown.text('shown')).toBe('idle: ');
  expect(shown.text('waiting')).toBeUndefined();
});

test('hydrated: a run without a storage is shown at once, also by the component that owns it', async () => {
  const rendered = vi.fn<() => void>();
  function Owner(): ReactElement {
    const { run } = usePrompt(greet, { watch: false });
    rendered();
    const { status } = useRunSuspense(run, 'hydrated');
    return <p data-testid="shown">{status}</p>;
  }
  const shown = mount(page(<Owner />));
  await expect.poll(() => shown.text('shown')).toBe('idle');
  expect(rendered.mock.calls.length).toBeLessThan(5);
});

test('first-text: a run is shown live from its first text', async () => {
  const { run, executor } = manualRun();
  const shown = mount(page(<Waiting run={run} point="first-text" />));
  await expect.poll(() => shown.text('waiting')).toBe('…');
  void run.start();
  await settle();
  expect(shown.text('shown')).toBeUndefined();
  executor.write('Hello');
  await expect.poll(() => shown.text('shown')).toBe('running: Hello');
  executor.write(', Ada.');
  executor.finish();
  await expect.poll(() => shown.text('shown')).toBe('done: Hello, Ada.');
});

test('first-text: a run that ends without text is shown, too', async () => {
  const { run, executor } = manualRun();
  const shown = mount(page(<Waiting run={run} point="first-text" />));
  void run.start();
  await settle();
  executor.finish();
  await expect.poll(() => shown.text('shown')).toBe('done: ');
});

test('done: the whole result is shown, with its type', async () => {
  const city = definePrompt('city', (prompt) => prompt.$`Describe Lisbon.`, {
    output: z.object({ name: z.string() }),
  });
  const run = createRun(city, { model: scriptedModel(['{"name":"Lisbon"}']) });
  function City(): ReactElement {
    const { result } = useRunSuspense(run, 'done');
    return <p data-testid="shown">{result.name.toUpperCase()}</p>;
  }
  const shown = mount(page(<City />));
  await expect.poll(() => shown.text('waiting')).toBe('…');
  void run.start();
  await expect.poll(() => shown.text('shown')).toBe('LISBON');
});

for (const outcome of ['error', 'stopped'] as const) {
  test(`done: a run that ends as ${outcome} reaches the error boundary`, async () => {
    watchConsole();
    const { run, executor } = manualRun();
    const shown = mount(page(<Waiting run={run} point="done" />));
    void run.start();
    await settle();
    executor.write('Hello');
    if (outcome === 'stopped') run.stop();
    else executor.say({ type: 'run-end', outcome, error: { code: 'rate_limited', message: 'Too many.' } });
    await expect.poll(() => shown.text('error')).toBe(outcome === 'stopped' ? 'aborted' : 'rate_limited');
  });
}

test('done: a second start shows the fallback again, and then its result', async () => {
  const { run, executor } = manualRun();
  const shown = mount(page(<Waiting run={run} point="done" />));
  for (const text of ['One.', 'Two.', 'Three.']) {
    void run.start();
    await expect.poll(() => shown.text('waiting')).toBe('…');
    executor.write(text);
    executor.finish();
    await expect.poll(() => shown.text('shown')).toBe(`done: ${text}`);
    await expect.poll(() => shown.text('waiting')).toBeUndefined();
  }
});

test('a component that waits for another’s run of the same id is shown with it', async () => {
  const executor = manualExecutor();
  const registry = createRunRegistry();
  function Waiter(): ReactElement {
    const { run } = usePrompt(greet, { id: 'greeting', watch: false });
    const { result } = useRunSuspense(run, 'done');
    return <p data-testid="shown">{result}</p>;
  }
  function Starter(): null {
    const { start } = usePrompt(greet, { id: 'greeting', watch: false });
    useEffect(() => void start(undefined, { key: 'first' }), [start]);
    return null;
  }
  const app = (starts: boolean): ReactElement => (
    <PromptProvider registry={registry} executor={executor}>
      {page(<Waiter />)}
      {starts && <Starter />}
    </PromptProvider>
  );
  const shown = mount(app(false));
  await expect.poll(() => shown.text('waiting')).toBe('…');
  shown.show(app(true));
  await expect.poll(() => executor.requests.length).toBe(1);
  executor.write('Hello.');
  executor.finish();
  await expect.poll(() => shown.text('shown')).toBe('Hello.');
  expect(registry.runs()).toHaveLength(1);
});
