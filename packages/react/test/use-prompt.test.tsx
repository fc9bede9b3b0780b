import { definePrompt, type SerializedError } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import {
  PromptProvider,
  createRunRegistry,
  usePrompt,
  type PromptRun,
  type UsePromptOptions,
} from '@cueline/react';
import { Activity, StrictMode, useEffect, type ReactElement } from 'react';
import { expect, onTestFinished, test, vi } from 'vitest';
import { manualExecutor } from './executors.ts';
import { hasActivity, mount, watchConsole } from './mount.tsx';

const greet = definePrompt('greet', (prompt, input: { name: string }) => {
  prompt.$`Greet ${input.name}.`;
});

type Greeted = PromptRun<{ name: string }>;

type GreetingProps = UsePromptOptions & {
  name?: string;
  startKey?: string;
  seen?: (run: Greeted) => void;
};

function Greeting({ name = 'Ada', startKey, seen, ...options }: GreetingProps): ReactElement {
  const run = usePrompt(greet, options);
  seen?.(run);
  const { start } = run;
  useEffect(() => {
    if (startKey !== undefined) void start({ name }, { key: startKey });
  }, [start, name, startKey]);
  return (
    <>
      <p data-testid="status">{run.status}</p>
      <p data-testid="text">{run.text}</p>
      {run.status === 'error' && <p data-testid="error">{run.error.message}</p>}
    </>
  );
}

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
      { delay: 60, error: { message: 'reset' } },
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

test('unmounting without an id leaves nothing behind that complains', async () => {
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

test('a component without a model leaves the one that another set', async () => {
  const executor = manualExecutor();
  let other: Greeted | undefined;
  const page = mount(
    <PromptProvider executor={executor} model="test:default" options={{ temperature: 1, maxOutputTokens: 9 }}>
      <Greeting id="greeting" model="test:chosen" options={{ temperature: 0 }} startKey="first" />
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

test("a failed run shows the provider's message", async () => {
  const model = scriptedModel([[{ throw: { message: 'No such model: gpt-0', status: 404 } }]]);
  const page = mount(<Greeting model={model} startKey="first" />);
  await expect.poll(() => page.text('status')).toBe('error');
  expect(page.text('error')).toContain('No such model: gpt-0');
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

test('a run that fails calls onError with its error', async () => {
  const onError = vi.fn<(error: SerializedError) => void>();
  const onDone = vi.fn<() => void>();
  const page = mount(<Greeting model="nobody:nothing" startKey="first" onError={onError} onDone={onDone} />);
  await expect.poll(() => page.text('status')).toBe('error');
  expect(onError).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: 'unknown_model' }));
  expect(onDone).not.toHaveBeenCalled();
});

test('what a callback throws is reported, and the run is shown to its end', async () => {
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

test('another id is another run', async () => {
  const executor = manualExecutor();
  const withId = (id: string): ReactElement => (
    <PromptProvider executor={executor}>
      <Greeting id={id} {...(id === 'a' ? { startKey: 'first' } : {})} />
      <p data-testid="id">{id}</p>
    </PromptProvider>
  );
  const page = mount(withId('a'));
  await expect.poll(() => executor.requests.length).toBe(1);
  executor.write('Hello.');
  await expect.poll(() => page.text('text')).toBe('Hello.');
  page.show(withId('b'));
  await expect.poll(() => page.text('id')).toBe('b');
  expect([page.text('status'), page.text('text')]).toEqual(['idle', '']);
  page.show(withId('a'));
  await expect.poll(() => page.text('text')).toBe('Hello.');
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
    'The id "greeting" belongs to a run of the prompt "greet"',
  );
});

test('an id without a provider is refused with what to do', async () => {
  const page = mount(<Greeting id="greeting" />);
  await expect.poll(() => page.errors).toHaveLength(1);
  expect(page.errors[0]).toMatchObject({
    code: 'invalid_options',
    message: expect.stringContaining('Wrap the app in <PromptProvider>'),
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
