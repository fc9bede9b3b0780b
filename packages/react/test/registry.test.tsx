import { definePrompt } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import { createRunRegistry, PromptProvider, usePrompt, type RunRegistry } from '@cueline/react';
import { StrictMode, Suspense, useEffect, type ReactElement } from 'react';
import { expect, test } from 'vitest';
import { cdp } from 'vitest/browser';
import { manualExecutor } from './support/executors.ts';
import { mount, settle, watchConsole } from './support/mount.tsx';

const greet = definePrompt('greet', (prompt) => {
  prompt.$`Greet Ada.`;
});

function Greeting({ id, starts = false }: { id: string; starts?: boolean }): ReactElement {
  const { status, start } = usePrompt(greet, { id });
  useEffect(() => {
    if (starts) void start(undefined, { key: 'first' });
  }, [start, starts]);
  return <p data-testid={id}>{status}</p>;
}

const idsOf = (registry: RunRegistry): string[] => registry.runs().map(({ id }) => id);
const statusesOf = (registry: RunRegistry): string[] => registry.runs().map((run) => run.getState().status);
const numbered = (count: number): string[] => Array.from({ length: count }, (_, index) => `run-${index}`);

async function collectGarbage(): Promise<void> {
  await settle();
  await (cdp() as { send(method: string): Promise<unknown> }).send('HeapProfiler.collectGarbage');
  await settle();
}

test('get, runs and remove include every opened run', () => {
  const registry = createRunRegistry();
  expect(registry.get('a')).toBeUndefined();
  const [a, b] = [registry.open('a', greet), registry.open('b', greet)];
  expect(registry.get('a')).toBe(a);
  expect(registry.open('a', greet)).toBe(a);
  expect(registry.runs()).toEqual([a, b]);
  registry.remove('a');
  expect(registry.get('a')).toBeUndefined();
  expect(registry.runs()).toEqual([b]);
  registry.remove('nobody');
  expect(registry.open('a', greet)).not.toBe(a);
});

test('remove stops a run, and components that show it still see its end', async () => {
  const executor = manualExecutor();
  const registry = createRunRegistry();
  const page = mount(
    <PromptProvider registry={registry} executor={executor}>
      <Greeting id="a" starts />
    </PromptProvider>,
  );
  await expect.poll(() => page.text('a')).toBe('running');
  const run = registry.get('a');
  registry.remove('a');
  await expect.poll(() => run?.getState().status).toBe('stopped');
  expect(registry.get('a')).not.toBe(run);
});

test('a run can be opened with a model', async () => {
  const registry = createRunRegistry();
  const run = registry.open('a', greet, { model: scriptedModel(['Hello.']) });
  await expect(run.start()).resolves.toBe('Hello.');
  expect(registry.get('a')).toBe(run);
});

test('beyond maxBackground, the run that was shown least recently is stopped', async () => {
  const executor = manualExecutor();
  const registry = createRunRegistry({ maxBackground: 2 });
  const show = (...ids: string[]): ReactElement => (
    <PromptProvider registry={registry} executor={executor}>
      {ids.map((id) => (
        <Greeting key={id} id={id} starts />
      ))}
    </PromptProvider>
  );
  const page = mount(show('a', 'b', 'c', 'd'));
  await expect.poll(() => executor.requests.length).toBe(4);
  await expect.poll(() => statusesOf(registry)).toEqual(['running', 'running', 'running', 'running']);
  for (const left of [['a', 'c', 'd'], ['c', 'd'], ['d']]) {
    page.show(show(...left));
    await settle();
  }
  expect(idsOf(registry)).toEqual(['a', 'b', 'c', 'd']);
  await expect.poll(() => statusesOf(registry)).toEqual(['running', 'stopped', 'running', 'running']);
  // the one that is stopped is no longer in progress, so that the next has room
  page.show(show('a', 'd'));
  await settle();
  expect(statusesOf(registry)).toEqual(['running', 'stopped', 'running', 'running']);
});

test('beyond maxKept, the run that was shown least recently is forgotten', async () => {
  const registry = createRunRegistry({ maxKept: 3 });
  const show = (...ids: string[]): ReactElement => (
    <PromptProvider registry={registry}>
      {ids.map((id) => (
        <Greeting key={id} id={id} />
      ))}
    </PromptProvider>
  );
  const page = mount(show(...numbered(6)));
  await settle();
  expect(idsOf(registry)).toEqual(numbered(6));
  page.show(show('run-1', 'run-5'));
  await settle();
  page.show(show('run-5'));
  await settle();
  expect(idsOf(registry).toSorted()).toEqual(['run-1', 'run-3', 'run-4', 'run-5']);
});

test('maxKept: 0 forgets a run with its last component, and keeps what is shown', async () => {
  const registry = createRunRegistry({ maxKept: 0 });
  const show = (...ids: string[]): ReactElement => (
    <StrictMode>
      <PromptProvider registry={registry}>
        {ids.map((id) => (
          <Greeting key={id} id={id} />
        ))}
      </PromptProvider>
    </StrictMode>
  );
  const page = mount(show('a', 'b'));
  await settle();
  expect(idsOf(registry)).toEqual(['a', 'b']);
  page.show(show('b'));
  await expect.poll(() => idsOf(registry)).toEqual(['b']);
});

test('60 components that mount in one pass, while others unmount, each keep their run', async () => {
  const executor = manualExecutor();
  const registry = createRunRegistry();
  const show = (ids: string[]): ReactElement => (
    <StrictMode>
      <PromptProvider registry={registry} executor={executor}>
        {ids.map((id) => (
          <Greeting key={id} id={id} />
        ))}
      </PromptProvider>
    </StrictMode>
  );
  const others = Array.from({ length: 60 }, (_, index) => `other-${index}`);
  const page = mount(show(others));
  await expect.poll(() => page.text('other-59')).toBe('idle');
  page.show(show(numbered(60)));
  await expect.poll(() => page.text('run-59')).toBe('idle');
  await settle();
  expect(idsOf(registry)).toHaveLength(60 + 50);
  const runs = numbered(60).map((id) => registry.get(id));
  for (const run of runs) run?.configure({ executor });
  for (const run of runs) void run?.start(undefined as never);
  await expect.poll(() => numbered(60).map((id) => page.text(id))).toEqual(numbered(60).map(() => 'running'));
});

test('two React roots with one registry show one run', async () => {
  const complaints = watchConsole();
  const executor = manualExecutor();
  const registry = createRunRegistry();
  const root = (starts: boolean): ReactElement => (
    <PromptProvider registry={registry} executor={executor}>
      <Greeting id="a" starts={starts} />
    </PromptProvider>
  );
  const pages = [mount(root(true)), mount(root(true))];
  await expect.poll(() => pages.map((page) => page.text('a'))).toEqual(['running', 'running']);
  expect(executor.requests).toHaveLength(1);
  pages[0]?.unmount();
  executor.finish();
  await expect.poll(() => pages[1]?.text('a')).toBe('done');
  expect(complaints).not.toHaveBeenCalled();
});

const never = new Promise<void>(() => {});

function Waiting({ id, rendered }: { id: string; rendered: (id: string) => void }): ReactElement {
  usePrompt(greet, { id });
  rendered(id);
  throw never;
}

test('runs of a discarded render are forgotten', async () => {
  const registry = createRunRegistry();
  const opened = new Set<string>();
  const show = (ids: string[]): ReactElement => (
    <PromptProvider registry={registry}>
      <Greeting id="shown" />
      {ids.map((id) => (
        <Suspense key={id}>
          <Waiting id={id} rendered={(one) => opened.add(one)} />
        </Suspense>
      ))}
    </PromptProvider>
  );
  const page = mount(show(numbered(100)));
  await expect.poll(() => opened.size).toBe(100);
  page.show(show([]));
  await settle();
  await expect
    .poll(
      async () => {
        await collectGarbage();
        return idsOf(registry).length;
      },
      { timeout: 10_000 },
    )
    .toBeLessThan(10);
  expect(registry.get('shown')).toBeDefined();
});

test('an opened run exists while a component uses it, and always from its start', async () => {
  const registry = createRunRegistry();
  const held = registry.open('held', greet);
  void registry.open('started', greet, { executor: manualExecutor() }).start();
  await settle();
  await collectGarbage();
  expect(registry.get('held')).toBe(held);
  expect(registry.get('started')?.getState().status).toBe('running');
});

test('finished runs beyond maxKept are released from memory', async () => {
  const registry = createRunRegistry({ maxKept: 10 });
  const model = scriptedModel(Array.from({ length: 100 }, () => 'word '.repeat(200)));
  const refs: WeakRef<object>[] = [];
  const page = mount(<PromptProvider registry={registry} model={model} />);
  for (const id of numbered(100)) {
    page.show(
      <PromptProvider registry={registry} model={model}>
        <Greeting id={id} starts />
      </PromptProvider>,
    );
    await expect.poll(() => page.text(id), { interval: 5 }).toBe('done');
    refs.push(new WeakRef(registry.get(id)!));
  }
  page.show(<PromptProvider registry={registry} model={model} />);
  await settle();
  expect(registry.runs()).toHaveLength(10);
  await expect
    .poll(
      async () => {
        await collectGarbage();
        return refs.filter((ref) => ref.deref() !== undefined).length;
      },
      { timeout: 10_000 },
    )
    .toBeLessThan(14);
}, 60_000);
