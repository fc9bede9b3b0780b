import { CuelineError, definePrompt, tool, type RunEvent, type RunStorage } from '@cueline/core';
import { scriptedModel, type ScriptedModel } from '@cueline/core/testing';
import { PromptProvider, usePrompt, useRunSuspense, type PromptRun } from '@cueline/react';
import { StrictMode, Suspense, useEffect, useLayoutEffect, type ReactElement } from 'react';
import { expect, test, vi } from 'vitest';
import * as z from 'zod';
import { farExecutor, unfinishedLog } from './server-page.tsx';
import { mount, settle } from './support/mount.tsx';

const greet = definePrompt('greet', (prompt, input: { name: string }) => {
  prompt.$`Greet ${input.name}.`;
});

type MemoryStorage = RunStorage & { readonly logs: Map<string, RunEvent[]>; readonly loads: string[] };

function memoryStorage(): MemoryStorage {
  const logs = new Map<string, RunEvent[]>();
  const loads: string[] = [];
  return {
    logs,
    loads,
    async load(id) {
      loads.push(id);
      await settle(20);
      return logs.get(id);
    },
    async append(id, events) {
      logs.set(id, [...(events[0]?.seq === 0 ? [] : (logs.get(id) ?? [])), ...events]);
    },
    async remove(id) {
      logs.delete(id);
    },
  };
}

type GreetingProps = {
  id?: string;
  starts?: boolean;
  seen?: (run: PromptRun<{ name: string }>) => void;
  onDone?: () => void;
};

function Greeting({ id, starts = false, seen, onDone }: GreetingProps): ReactElement {
  const run = usePrompt(greet, { id, onDone });
  const { start } = run;
  useLayoutEffect(() => seen?.(run), [seen, run]);
  useEffect(() => {
    if (starts) void start({ name: 'Ada' }, { key: 'first' });
  }, [start, starts]);
  return (
    <>
      <p data-testid="shown">{`${run.status}: ${run.text}`}</p>
      <p data-testid="fault">{run.storageError?.message}</p>
      <p data-testid="error">{run.status === 'error' ? run.error.code : ''}</p>
    </>
  );
}

function app(
  storage: RunStorage,
  model: ScriptedModel,
  props: GreetingProps = { id: 'greeting' },
): ReactElement {
  return (
    <StrictMode>
      <PromptProvider persist={storage} model={model}>
        <Greeting {...props} />
      </PromptProvider>
    </StrictMode>
  );
}

test('after a reload, a run is unchanged and its conversation continues', async () => {
  const storage = memoryStorage();
  const model = scriptedModel(['Hello, Ada.', 'Hello, Grace.']);
  const onDone = vi.fn<() => void>();
  const before = mount(app(storage, model, { id: 'greeting', starts: true, onDone }));
  await expect.poll(() => before.text('shown')).toBe('done: Hello, Ada.');
  expect(onDone).toHaveBeenCalledOnce();
  await expect.poll(() => storage.logs.get('greeting')?.at(-1)?.type).toBe('run-end');
  before.unmount();

  const seen = vi.fn<(run: PromptRun<{ name: string }>) => void>();
  const page = mount(app(storage, model, { id: 'greeting', seen, onDone }));
  await expect.poll(() => page.text('shown')).toBe('done: Hello, Ada.');
  // it had ended before, so no callback is called again
  expect(onDone).toHaveBeenCalledOnce();
  await expect(seen.mock.lastCall![0].send('And Grace?')).resolves.toBe('Hello, Grace.');
  expect(model.calls[1]?.prompt.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
  expect(onDone).toHaveBeenCalledTimes(2);
});

test('after a reload, a start in a mount effect with the same key starts nothing', async () => {
  const storage = memoryStorage();
  const model = scriptedModel(['Hello, Ada.', 'Never said.']);
  const props = { id: 'greeting', starts: true };
  const before = mount(app(storage, model, props));
  await expect.poll(() => storage.logs.get('greeting')?.at(-1)?.type).toBe('run-end');
  before.unmount();
  const page = mount(app(storage, model, props));
  await expect.poll(() => page.text('shown')).toBe('done: Hello, Ada.');
  await settle();
  expect(model.calls).toHaveLength(1);
  expect(storage.loads).toEqual(['greeting', 'greeting']);
});

test('a run whose page was closed is interrupted; retry continues after its last complete step', async () => {
  const look = vi.fn<() => string>(() => 'Sunny');
  const plan = definePrompt('plan', (prompt) => prompt.$`Plan a day.`, {
    tools: [tool('look', 'Looks outside', z.object({}), look)],
  });
  const storage = memoryStorage();
  const onError = vi.fn<() => void>();
  let latest: { start(): Promise<unknown>; retry(): Promise<unknown> } | undefined;
  function Plan(): ReactElement {
    const run = usePrompt(plan, { id: 'plan', onError });
    useLayoutEffect(() => void (latest = run), [run]);
    return (
      <p data-testid="plan">
        {run.status === 'error' ? run.error.code : run.status}: {run.toolCalls.length} {run.text}
      </p>
    );
  }
  const planApp = (model: ScriptedModel): ReactElement => (
    <PromptProvider persist={storage} model={model}>
      <Plan />
    </PromptProvider>
  );
  const call = { toolCall: { name: 'look', input: {} } };
  const before = mount(planApp(scriptedModel([[call], [{ text: 'Take the' }, { delay: 60_000 }]])));
  await expect.poll(() => latest).toBeDefined();
  void latest?.start();
  await expect.poll(() => before.text('plan')).toBe('running: 1 Take the');
  await expect.poll(() => JSON.stringify(storage.logs.get('plan'))).toContain('Take the');
  // the page goes away, and nothing of it reaches the storage any more
  const stored = structuredClone(storage.logs.get('plan')!);
  before.unmount();
  storage.append = async () => {};
  storage.logs.set('plan', stored);

  const model = scriptedModel(['Take the tram.']);
  const page = mount(planApp(model));
  await expect.poll(() => page.text('plan')).toBe('interrupted: 1 Take the');
  await settle();
  expect(model.calls).toHaveLength(0);
  expect(onError, 'the run was only restored').not.toHaveBeenCalled();
  await expect(latest?.retry()).resolves.toBe('Take the tram.');
  await expect.poll(() => page.text('plan')).toBe('done: 1 Take the tram.');
  expect(look).toHaveBeenCalledOnce();
});

test('a storage that cannot be written is reported, and the run continues', async () => {
  const storage = memoryStorage();
  storage.append = () => Promise.reject(new CuelineError('storage_failed', 'The disk is full.'));
  const page = mount(app(storage, scriptedModel(['Hello, Ada.']), { id: 'greeting', starts: true }));
  await expect.poll(() => page.text('shown')).toBe('done: Hello, Ada.');
  await expect.poll(() => page.text('fault')).toBe('The disk is full.');
  expect(page.text('error')).toBe('');
});

test('a storage that cannot be read is reported, and a start continues without it', async () => {
  const storage = memoryStorage();
  storage.load = () => Promise.reject(new CuelineError('storage_failed', 'No storage here.'));
  const seen = vi.fn<(run: PromptRun<{ name: string }>) => void>();
  const page = mount(app(storage, scriptedModel(['Hello, Ada.']), { id: 'greeting', seen }));
  await expect.poll(() => page.text('fault')).toBe('No storage here.');
  void seen.mock.lastCall![0].start({ name: 'Ada' });
  await expect.poll(() => page.text('shown')).toBe('done: Hello, Ada.');
});

test('a run that belongs to its component is not stored', async () => {
  const storage = memoryStorage();
  const page = mount(app(storage, scriptedModel(['Hello, Ada.']), { starts: true }));
  await expect.poll(() => page.text('shown')).toBe('done: Hello, Ada.');
  await settle(200);
  expect([storage.logs.size, storage.loads]).toEqual([0, []]);
});

test('a run that continues elsewhere is attached, also if the component waits for the storage first', async () => {
  const storage = memoryStorage();
  storage.logs.set('greeting', unfinishedLog);
  const { executor, attached } = farExecutor();
  function Waiting(): ReactElement {
    const { run } = usePrompt(greet, { id: 'greeting', watch: false });
    const { status, text } = useRunSuspense(run, 'hydrated');
    return <p data-testid="shown">{`${status}: ${text}`}</p>;
  }
  const page = mount(
    <PromptProvider persist={storage} executor={executor}>
      <Suspense fallback={<p data-testid="waiting">…</p>}>
        <Waiting />
      </Suspense>
    </PromptProvider>,
  );
  await expect.poll(() => page.text('shown')).toBe('done: Hello, Ada.');
  expect(attached).toEqual([['far', 3]]);
});

test('a provider that gets the storage of another user shows no run of the user before', async () => {
  const storages = ['ada', 'ben'].map((scope): MemoryStorage => ({ ...memoryStorage(), scope }));
  const model = scriptedModel([[{ text: 'Hello, ' }, { text: 'Ada.', delay: 300 }]]);
  const withUser = (user: number): ReactElement => (
    <StrictMode>
      <PromptProvider persist={storages[user]} model={model}>
        <Greeting id="greeting" starts={user === 0} />
      </PromptProvider>
    </StrictMode>
  );
  const page = mount(withUser(0));
  await expect.poll(() => page.text('shown')).toBe('running: Hello, ');
  page.show(withUser(1));
  await expect.poll(() => page.text('shown')).toBe('idle: ');
  expect(storages[1]?.loads).toEqual(['greeting']);
  // the run continues, and is stored where it began
  await expect.poll(() => storages[0]?.logs.get('greeting')?.at(-1)?.type).toBe('run-end');
  expect(storages[1]?.logs.size).toBe(0);
  page.show(withUser(0));
  await expect.poll(() => page.text('shown')).toBe('done: Hello, Ada.');
  expect(model.calls).toHaveLength(1);
});
