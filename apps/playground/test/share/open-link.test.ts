import type { RunEvent, RunState } from '@cueline/core';
import { encodeLink } from '@cueline/core/link';
import { replay } from '@cueline/core/replay';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { sampleEval } from '../../src/evals/sample-eval.ts';
import { samplePrompts } from '../../src/prompts/sample-prompts.ts';
import { usePlayground } from '../../src/state/store.ts';
import { memoryStorage } from '../memory-storage.ts';

const id = 'AbCdEfGhIjKlMnOpQrSt-A';
const log: RunEvent[] = [
  { seq: 0, t: 0, type: 'run-start', v: 2, runId: 'r', model: 'openai:gpt-x', messages: [], messageId: 'a' },
  { seq: 1, t: 3, type: 'run-end', outcome: 'done', finishReason: 'stop' },
];
const script = '// shared';
const whole = encodeLink({ script, log }).slice(1);
let stopFollowing = (): void => {};
const store = () => usePlayground.getState();

/**
 * Opens a hash on a page whose host has configured a store at `shares`, which gives this answer. `isKept`: a refused
 * link stays in the address, as an opened one does.
 */
async function open(
  hash: string,
  shares = '/api/shares',
  answer = () => new Response(whole),
  { isRefused = false, isKept = false, isLoading = false } = {},
) {
  const asked: string[] = [];
  newAddress.mockClear();
  vi.resetModules();
  const page = new URL('https://play.example/app/?a=1');
  page.hash = hash;
  vi.stubGlobal('document', { querySelector: () => ({ content: shares }) });
  vi.stubGlobal('location', page);
  vi.stubGlobal('history', stubHistory(isLoading ? globalThis.history?.state : null));
  vi.stubGlobal('addEventListener', vi.fn());
  vi.stubGlobal('removeEventListener', vi.fn());
  vi.stubGlobal('fetch', async (url: string) => {
    asked.push(url);
    const response = answer();
    if (response.type === 'error') throw new TypeError('Failed to fetch');
    return response;
  });
  vi.doMock('../../src/state/store.ts', () => ({ usePlayground, reportStorage: () => {} }));
  const { followLinks } = await import('../../src/share/open-link.ts');
  const { opened, stop } = followLinks({ isLoading });
  stopFollowing = stop;
  // a notice appears as soon as the page reads the link
  await expect.poll(() => store().notice?.kind ?? 'opening', { timeout: 10_000 }).not.toBe('opening');
  expect(await opened).toBe(!isRefused);
  if (!isRefused || isKept) expect(newAddress).not.toHaveBeenCalled();
  else expect(newAddress).toHaveBeenCalledWith('/app/?a=1');
  return asked;
}

/** Gets each address that the page has put in the place of the link's. */
const newAddress = vi.fn<(address: string) => void>();

/** The browser's entry for the page, which keeps its state over a reload. */
function stubHistory(state: unknown) {
  return {
    state,
    replaceState(now: unknown, _title: string, address?: string) {
      this.state = now;
      if (address !== undefined) newAddress(address);
    },
  };
}

/** Changes the address, as Back does. */
function goTo(hash: string): void {
  location.hash = hash;
  const [, onHash] = vi.mocked(addEventListener).mock.calls.find(([name]) => name === 'hashchange')!;
  (onHash as () => void)();
}

beforeEach(() => {
  usePlayground.setState(usePlayground.getInitialState(), true);
  store().edit('// mine');
});
afterEach(() => {
  stopFollowing();
  vi.unstubAllGlobals();
});

test.each([
  ['the link itself', `#${whole}`, []],
  ['a store', `#s=${id}`, [`https://play.example/api/shares/${id}`]],
])(
  'a run from %s is shown without running its script, and the user keeps their own script',
  async (_where, hash, expected) => {
    expect(await open(hash)).toEqual(expected);
    expect(store()).toMatchObject({
      script,
      previousScript: { text: '// mine' },
      notice: { kind: 'opened', from: 'link' },
      tab: 'run',
      session: {
        shared: true,
        source: { script },
        model: { name: 'gpt-x', detail: 'shared run' },
        simulated: false,
      },
    });
    expect(store().session!.run.getState()).toMatchObject({ status: 'done', model: 'openai:gpt-x' });
    expect(store().session!.run.log()).toEqual(log);
  },
);

test.each([
  ['edited', () => store().edit('// shared, edited')],
  ['replaced', () => store().replaceScript('// another')],
  ['followed by another run', () => usePlayground.setState({ session: undefined })],
])('the address loses the link once its script is %s', async (_how, change) => {
  await open(`#${whole}`);
  change();
  expect(newAddress).toHaveBeenCalledExactlyOnceWith('/app/?a=1');
});

test.each([
  ['untouched', [samplePrompts[1]!.name, sampleEval.repeat]],
  ['edited', ['Mine', 7]],
])(
  'after a reload with the link, going back shows the user’s own prompts and eval, and the view that was open: %s',
  async (kind, expected) => {
    const stored = new Map<string, string>();
    vi.stubGlobal('localStorage', memoryStorage(stored));
    const prompts = { prompts: [{ ...samplePrompts[0]!, name: 'Theirs' }], selected: 0, values: {} };
    const link = encodeLink({ prompts, evaluation: { settings: { ...sampleEval, repeat: 4 } } });
    await open(encodeLink({ script }));
    if (kind === 'edited') {
      const { usePrompts } = await import('../../src/prompts/store.ts');
      const { useEvals } = await import('../../src/evals/store.ts');
      usePrompts.getState().edit({ name: 'Mine' });
      useEvals.getState().change({ repeat: 7 });
    }
    goTo(link);
    await expect.poll(() => stored.get('cueline:prompts')).toContain('Theirs');
    await expect.poll(() => stored.get('cueline:evals')).toContain('"repeat":4');
    stopFollowing();
    await open(link, undefined, undefined, { isLoading: true });
    const { entryOf, usePrompts } = await import('../../src/prompts/store.ts');
    const { useEvals } = await import('../../src/evals/store.ts');
    const shown = () => [entryOf(usePrompts.getState()).prompt.name, useEvals.getState().settings.repeat];
    expect(shown()).toEqual(['Theirs', 4]);
    expect(store().view).toBe('evals');
    goTo('');
    expect(shown()).toEqual(expected);
    expect(store().view).toBe('script');
  },
);

test.each([['prompts'], ['eval']])(
  'the link stays in the address until what it opened is edited: %s',
  async (what) => {
    vi.stubGlobal('localStorage', { getItem: () => null, setItem: () => {} });
    const prompts = { prompts: samplePrompts, selected: 0, values: {} };
    const content = what === 'eval' ? { prompts, evaluation: { settings: sampleEval } } : { prompts };
    await open(encodeLink(content));
    const { usePrompts } = await import('../../src/prompts/store.ts');
    const { useEvals } = await import('../../src/evals/store.ts');
    if (what === 'eval') useEvals.getState().editCase(0, { expect: 'edited' });
    else usePrompts.getState().edit({ name: 'Edited' });
    expect(newAddress).toHaveBeenCalledExactlyOnceWith('/app/?a=1');
    usePrompts.getState().edit({ name: 'Edited again' });
    expect(newAddress).toHaveBeenCalledOnce();
  },
);

test('a script without a run can be kept in a store, too', async () => {
  await open(`#s=${id}`, '/api/shares', () => new Response(encodeLink({ script }).slice(1)));
  expect(store()).toMatchObject({ script, session: undefined, tab: 'editor' });
});

test.each([
  ['the user’s own script', () => {}, { script: '// mine', previousScript: undefined }],
  [
    'an unedited example',
    () => store().replaceScript('// example', { origin: 'example', name: 'An example' }),
    { script: '// example', openScript: { name: 'An example' }, previousScript: { text: '// mine' } },
  ],
])('going back to the page without the link shows %s again', async (_what, before, expected) => {
  before();
  await open(encodeLink({ script: '// another link' }));
  stopFollowing();
  await open(encodeLink({ script }));
  goTo('');
  expect(store()).toMatchObject({ ...expected, notice: undefined });
});

test.each([['prompts'], ['eval']])(
  'going back to the page without the link shows the prompts, the eval and the view that were there: %s',
  async (what) => {
    vi.stubGlobal('localStorage', { getItem: () => null, setItem: () => {} });
    const linkTo = (name: string): string => {
      const prompts = { prompts: [{ ...samplePrompts[0], name }], selected: 0, values: {} };
      return encodeLink(what === 'eval' ? { prompts, evaluation: { settings: sampleEval } } : { prompts });
    };
    await open(encodeLink({ script }));
    const { usePrompts } = await import('../../src/prompts/store.ts');
    const { useEvals } = await import('../../src/evals/store.ts');
    usePrompts.getState().edit({ name: 'Mine' });
    useEvals.getState().change({ repeat: 7 });
    const before = [
      usePrompts.getState().entries,
      usePrompts.getState().selected,
      useEvals.getState().settings,
    ];
    for (const name of ['First', 'Second', 'First']) {
      goTo(linkTo(name));
      await expect.poll(() => store().notice?.kind).toBe('opened');
    }
    expect(usePrompts.getState()).toMatchObject({ entries: [{ prompt: { name: 'First' } }], isOwn: false });
    goTo('');
    const { entries, selected, isOwn, previous } = usePrompts.getState();
    expect([entries, selected, useEvals.getState().settings]).toEqual(before);
    expect([isOwn, previous, useEvals.getState().previous]).toEqual([true, [], []]);
    expect(store()).toMatchObject({ view: 'script', notice: undefined });
  },
);

test.each([
  ['a page that has loaded with the link', true],
  ['a page that got the link later', false],
])('going forward to a link and back shows the view that was open before: %s', async (_what, isLoading) => {
  vi.stubGlobal('localStorage', { getItem: () => null, setItem: () => {} });
  const link = encodeLink({ prompts: { prompts: samplePrompts, selected: 0, values: {} } });
  await open(link, undefined, undefined, { isLoading });
  goTo('');
  expect(store().view).toBe('script');
  usePlayground.setState({ view: 'evals' });
  // the browser has kept the state of the link's entry
  goTo(link);
  await expect.poll(() => store().notice?.kind).toBe('opened');
  expect(store().view).toBe('prompts');
  goTo('');
  expect(store().view).toBe('evals');
});

test('going back to the page without the link shows the run that was there again', async () => {
  await open(encodeLink({ script: '// one', log }));
  const before = store().session;
  stopFollowing();
  await open(`#${whole}`);
  expect(store().session).not.toBe(before);
  goTo('');
  expect(store().session).toBe(before);
});

test('a page that opens without the link keeps its script, which the user has run', async () => {
  await open(encodeLink({ script }));
  stopFollowing();
  location.hash = '';
  const { followLinks } = await import('../../src/share/open-link.ts');
  expect(await followLinks({ isLoading: true }).opened).toBe(false);
  expect(store().script).toBe(script);
});

const broken = encodeLink({ script, log: log.map((event) => ({ ...event, messages: 7 })) as never });

test.each<[string, string, RegExp, string?, (() => Response)?]>([
  ['no store', `#s=${id}`, /this page is not connected to one/, ''],
  ['a link that is cut off', '#s=AbC', /cut off/],
  ['a share that is gone', `#s=${id}`, /Nothing is shared/, '/s', () => new Response('', { status: 404 })],
  [
    'a share that is a link to another share',
    `#s=${id}`,
    /not lead to a shared run/,
    '/s',
    () => new Response(`s=${id}`),
  ],
  ['an empty share', `#s=${id}`, /not lead to a shared run/, '/s', () => new Response('')],
  ['an invalid run', broken, /is damaged: its event 1 cannot be read/],
  ['a broken run in a store', `#s=${id}`, /is damaged/, '/s', () => new Response(broken.slice(1))],
  ['a run alone', encodeLink({ log }), /contains no script/],
  [
    'prompts that are a number',
    encodeLink({ prompts: { prompts: 7 } }),
    /prompts in this link cannot be read/,
  ],
  ['a prompt that lacks its parts', encodeLink({ prompts: [{ id: 'x' }] }), /cannot be read/],
  ['an evaluation without prompts', encodeLink({ evaluation: { settings: {} } }), /cannot be read/],
  [
    'a result of no case',
    encodeLink({ prompts: { prompts: [] }, evaluation: { settings: {}, results: [{}] } }),
    /cannot be read/,
  ],
])('%s is refused in a sentence, and nothing else changes', async (_what, hash, words, shares, answer) => {
  await open(hash, shares, answer, { isRefused: true });
  expect(store()).toMatchObject({ script: '// mine', previousScript: undefined, session: undefined });
  const { notice } = store();
  expect(notice).toEqual({ kind: 'refused', message: expect.stringMatching(words) });
  expect(notice).toMatchObject({ message: expect.stringMatching(/Your own work is unchanged\.$/) });
});

test.each<[string, RegExp, () => Response]>([
  ['cannot be reached', /You are offline/, () => Response.error()],
  ['answers with a web page', /answered with a web page/, () => new Response('<!doctype html>')],
  ['has had too many requests', /too often/, () => new Response('', { status: 429 })],
  ['fails', /failed \(503\)/, () => new Response('', { status: 503 })],
])(
  'a link whose store %s stays in the address, and opens when it is tried again',
  async (_what, words, answer) => {
    const answers = [answer, () => new Response(whole)];
    await open(`#s=${id}`, '/s', () => answers.shift()!(), { isRefused: true, isKept: true });
    const { notice, script: before } = store();
    expect(notice).toMatchObject({ kind: 'refused', message: expect.stringMatching(words) });
    expect(before).toBe('// mine');
    if (notice?.kind === 'refused') notice.tryAgain?.();
    await expect.poll(() => store().notice).toEqual({ kind: 'opened', from: 'link' });
    expect(store().script).toBe(script);
    expect(newAddress).not.toHaveBeenCalled();
  },
);

test('the address loses a link that could be tried again once its notice is dismissed', async () => {
  const answer = () => new Response('', { status: 503 });
  await open(`#s=${id}`, '/s', answer, { isRefused: true, isKept: true });
  usePlayground.setState({ notice: undefined });
  expect(newAddress).toHaveBeenCalledExactlyOnceWith('/app/?a=1');
});

test('a link does not replace a run that is in progress', async () => {
  const { session } = await open(`#${whole}`).then(() => store());
  const going = { ...session!.run.getState(), status: 'running', phase: 'text' } as RunState;
  const run = { ...session!.run, getState: () => going };
  usePlayground.setState({ session: { ...session!, run }, script: '// mine' });
  await open(`#${whole}`, undefined, undefined, { isRefused: true });
  expect(store().script).toBe('// mine');
  expect(store().notice).toMatchObject({ message: expect.stringContaining('A run is in progress here.') });
});

test('a link replaces a recording that is being played, and going back shows it again', async () => {
  const { showRecording } = await import('../../src/state/run-session.ts');
  const recording = replay(log);
  recording.pause();
  recording.seek(0);
  showRecording('// example', recording);
  const { session } = store();
  await expect.poll(() => session!.run.getState().status).toBe('running');
  await open(`#${whole}`);
  expect(store().session).not.toBe(session);
  goTo('');
  expect(store().session).toBe(session);
  recording.seek(1);
  await expect.poll(() => session!.run.getState().status).toBe('done');
});

test('a link to a run of prompts does not replace a run that is in progress', async () => {
  vi.stubGlobal('localStorage', { getItem: () => null, setItem: () => {} });
  const prompts = { prompts: samplePrompts, selected: 0, values: {} };
  const hash = encodeLink({ prompts, log });
  const promptSession = await open(hash).then(() => store().promptSession!);
  const going = { ...promptSession.run.getState(), status: 'running', phase: 'text' } as RunState;
  const run = { ...promptSession.run, getState: () => going };
  usePlayground.setState({ promptSession: { ...promptSession, run } });
  await open(hash, undefined, undefined, { isRefused: true });
  expect(store().promptSession?.run).toBe(run);
  expect(store().notice).toMatchObject({ message: expect.stringContaining('A run is in progress here.') });
  // prompts alone do not take its place
  await open(encodeLink({ prompts }));
  expect(store().promptSession?.run).toBe(run);
});
