import type { RunEvent } from '@cueline/core';
import { replay } from '@cueline/core/replay';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import type { Sandbox, ScriptHost } from '../../src/sandbox/index.ts';
import { reply, showRecording, startRun } from '../../src/state/run-session.ts';
import { compareScript, scriptNameOf, usePlayground } from '../../src/state/store.ts';

/** The options that each run gave the sandbox, and the functions that continue it. */
type Start = { script: string; host: ScriptHost; say: (event: RunEvent) => void };
const { starts } = vi.hoisted(() => ({ starts: [] as Start[] }));

vi.mock('../../src/sandbox/index.ts', () => ({
  createSandbox: (): Sandbox => ({
    warm: () => {},
    prepare: () => {},
    dispose: () => {},
    check: async () => ({}),
    executor: (script, host) => ({
      async *start() {
        const events: RunEvent[] = [];
        let wake = (): void => {};
        starts.push({ script, host, say: (event) => (events.push(event), wake()) });
        for (;;) {
          const event = events.shift();
          if (event !== undefined) yield event;
          else await new Promise<void>((resolve) => (wake = resolve));
        }
      },
    }),
  }),
}));

const store = () => usePlayground.getState();
const problem = { message: 'late', line: 2, phase: 'run' } as const;
const runStart: RunEvent = {
  type: 'run-start',
  v: 2,
  seq: 0,
  t: 0,
  runId: 'r',
  model: 'm',
  messages: [],
  messageId: 'a',
};
const runEnd: RunEvent = {
  type: 'run-end',
  seq: 1,
  t: 1,
  outcome: 'error',
  error: { code: 'script_error', message: 'failed', details: { line: 3 } },
};

/** Starts the script in the editor, and returns the options that the sandbox received. */
async function begin(script: string): Promise<Start> {
  store().edit(script);
  const before = starts.length;
  startRun();
  await vi.waitFor(() => expect(starts).toHaveLength(before + 1), 10_000);
  return starts[before]!;
}

beforeEach(() => {
  usePlayground.setState(usePlayground.getInitialState(), true);
  starts.length = 0;
});

test('a run shows the errors of its script, and its console output', async () => {
  const { host } = await begin('// one');
  host.onProblem?.(problem);
  host.onConsole?.('log', 'said');
  expect(store().problem).toEqual({ message: 'late', line: 2, ended: false });
  expect(store().console).toEqual([{ level: 'log', text: 'said' }]);
});

test('events of a run that was replaced are ignored', async () => {
  const first = await begin('// one');
  await begin('// two');
  store().edit('// one');
  first.host.onProblem?.(problem);
  first.host.onConsole?.('log', 'said');
  expect(store().problem).toBeUndefined();
  expect(store().console).toEqual([]);
});

test('events of an earlier start are ignored after a reply', async () => {
  const first = await begin('// one');
  first.say(runStart);
  first.say({ type: 'run-end', seq: 1, t: 1, outcome: 'done', finishReason: 'stop' });
  await expect.poll(() => store().session?.run.getState().status).toBe('done');
  reply('And now?');
  await expect.poll(() => starts).toHaveLength(2);
  first.host.onConsole?.('log', 'first');
  starts[1]!.host.onConsole?.('log', 'second');
  expect(store().console).toEqual([{ level: 'log', text: 'second' }]);
});

test.each([
  ['edited', () => store().edit('// one, edited')],
  ['replaced', () => store().replaceScript('// another')],
])('no line is marked in a script that was %s since', async (_how, change) => {
  const { host, say } = await begin('// one');
  change();
  host.onProblem?.(problem);
  say(runStart);
  say(runEnd);
  await expect.poll(() => store().session?.run.getState().status).toBe('error');
  expect(store().problem).toBeUndefined();
});

test('the line at which the run failed is marked in the script that ran', async () => {
  const { say } = await begin('// one');
  say(runStart);
  say(runEnd);
  await expect.poll(() => store().problem).toEqual({ message: 'failed', line: 3, ended: true });
});

test('each run has the model that was set when it started', async () => {
  const first = await begin('// one');
  usePlayground.setState({
    connection: {
      kind: 'openai',
      openai: { model: 'gpt-test', api: 'chat', baseUrl: '' },
      compatible: { model: '', baseUrl: '' },
    },
    keys: { openai: 'sk-test-0123456789', compatible: '' },
  });
  const second = await begin('// two');
  expect(await first.host.getModel()).toMatchObject({ provider: 'simulated' });
  expect(await second.host.getModel()).toMatchObject({ modelId: 'gpt-test' });
});

test('a run knows whether the script in the editor is its own, edited since, or another', async () => {
  const { say } = await begin("definePrompt('one')");
  const run = () => store().session!;
  const editor = () => compareScript(store(), run());
  expect(editor()).toBe('same');
  store().edit("definePrompt('one') // edited");
  expect(editor()).toBe('edited');
  store().replaceScript("definePrompt('two')", { origin: 'example', name: 'Two' });
  expect(editor()).toBe('other');
  expect(scriptNameOf(run())).toBe('one');
  say(runStart);
  say({ type: 'run-end', seq: 1, t: 1, outcome: 'done', finishReason: 'stop' });
  await expect.poll(() => run().run.getState().status).toBe('done');
  // a reply is to the run and its script, whatever is in the editor
  reply('And now?');
  expect([editor(), scriptNameOf(run())]).toEqual(['other', 'one']);
  // opened again as a script of its own, it is what ran, until it is edited
  store().replaceScript("definePrompt('one')", { origin: 'run' });
  expect(editor()).toBe('same');
  store().edit("definePrompt('one') // edited again");
  expect(editor()).toBe('edited');
});

test('the clock of a run goes with its log, however late the script starts', async () => {
  let now = 1_000;
  onTestFinished(vi.spyOn(performance, 'now').mockImplementation(() => now).mockRestore);
  const { say } = await begin('// one');
  const { clock, run } = store().session!;
  now = 5_000;
  expect(clock.now()).toBe(0);
  const arrives = async (event: RunEvent): Promise<void> => {
    say(event);
    await expect.poll(() => run.log()).toHaveLength(event.seq + 1);
  };
  await arrives(runStart);
  now = 5_250;
  expect(clock.now()).toBe(250);
  // an event that the page reads late: its time counts
  await arrives({ type: 'warning', message: 'slow', seq: 1, t: 100 });
  now = 5_300;
  expect(clock.now()).toBe(150);
  await arrives({ ...runEnd, seq: 2, t: 200 });
  now = 9_000;
  expect(clock.now()).toBe(200);
});

test('the clock of a recording stands still while the recording is paused', async () => {
  let now = 1_000;
  onTestFinished(vi.spyOn(performance, 'now').mockImplementation(() => now).mockRestore);
  const warning = { type: 'warning', message: 'slow', seq: 1, t: 20 } as const;
  const recording = replay([runStart, warning, { ...runEnd, seq: 2, t: 1_000 }], { paused: true });
  recording.seek(0);
  showRecording('// one', recording);
  const { clock, run } = store().session!;
  await expect.poll(() => run.log()).toHaveLength(1);
  now = 3_000;
  expect(clock.now()).toBe(0);
  recording.play();
  now = 3_020;
  await expect.poll(() => run.log()).toHaveLength(2);
  now = 3_100;
  expect(clock.now()).toBe(100);
});
