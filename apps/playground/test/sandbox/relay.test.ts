import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startRelay, type RelayNotice, type Side } from '../../src/sandbox/frame/relay.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

type Fake = Side & { sent: unknown[]; say(message: unknown): void };

function fakeSide(): Fake {
  const listeners: ((message: unknown) => void)[] = [];
  const sent: unknown[] = [];
  return {
    sent,
    send: (message) => void sent.push(message),
    listen: (listener) => void listeners.push(listener),
    say: (message) => listeners.forEach((listener) => listener(message)),
  };
}

function setUp(limits = { messageLength: 100, totalLength: 2_000, unreadMessages: 200, silence: 1_500 }) {
  const page = fakeSide();
  const side = fakeSide();
  const terminate = vi.fn();
  let fail: (message: string) => void = () => {};
  const worker = {
    ...side,
    terminate,
    onFailure: (listener: (message: string) => void) => {
      fail = listener;
    },
  };
  startRelay(page, worker, limits);
  const texts = (): unknown[] => page.sent.filter((message) => typeof message === 'string');
  const ending = (): unknown => page.sent.find((message) => (message as RelayNotice).type === 'ended');
  return { page, worker, terminate, texts, ending, fail: (message: string) => fail(message) };
}

test('texts are relayed both ways, and the worker learns how many messages the page has read', () => {
  const { page, worker, texts } = setUp();
  page.say('to worker');
  worker.say('to page');
  page.say({ type: 'read', count: 1 });
  expect(worker.sent).toEqual(['to worker', 1]);
  expect(texts()).toEqual(['to page']);
});

test('a waiting worker is asked once for a sign of life, and the page gets the answer', () => {
  const { page, worker } = setUp();
  page.say({ type: 'check' });
  expect(worker.sent).toEqual([0]);
  page.say({ type: 'watch' });
  expect(page.sent, 'the relay alone does not answer for the worker').toEqual([{ type: 'alive' }]);
  worker.say(0);
  expect(page.sent.at(-1)).toEqual({ type: 'answers' });
});

test('the page gets 64 messages, and more as it reads', () => {
  const { page, worker, texts } = setUp();
  for (let index = 0; index < 100; index += 1) worker.say(String(index));
  expect(texts()).toHaveLength(64);
  page.say({ type: 'read', count: 10 });
  expect(texts()).toHaveLength(74);
});

test('a flood ends the worker, and its waiting messages do not reach the page', () => {
  const { page, worker, terminate, texts, ending } = setUp();
  for (let index = 0; index < 300; index += 1) worker.say('x');
  expect(terminate).toHaveBeenCalledOnce();
  expect(ending(), 'sent only after the page has read').toBeUndefined();
  page.say({ type: 'read', count: 64 });
  expect(ending()).toEqual({ type: 'ended', reason: 'flood' });
  expect(texts()).toHaveLength(64);
});

test('the total that a worker may send is limited, even if the page has read it', () => {
  const { page, worker, terminate, texts, ending } = setUp();
  for (let index = 0; index < 20; index += 1) {
    worker.say('x'.repeat(100));
    page.say({ type: 'read', count: 1 });
  }
  expect(terminate).not.toHaveBeenCalled();
  worker.say('x');
  expect(terminate).toHaveBeenCalledOnce();
  expect(ending()).toEqual({ type: 'ended', reason: 'too-much' });
  expect(texts(), 'what came before belongs to the log').toHaveLength(20);
});

test('a worker that sends long messages counts as alive', () => {
  const limits = { messageLength: 1e6, totalLength: 1e7, unreadMessages: 200, silence: 1_500 };
  const { page, worker, terminate } = setUp(limits);
  page.say({ type: 'watch' });
  for (let tick = 0; tick < 6; tick += 1) {
    worker.say('x'.repeat(100_000));
    vi.advanceTimersByTime(500);
  }
  expect(terminate).not.toHaveBeenCalled();
  for (let tick = 0; tick < 6; tick += 1) {
    worker.say('short');
    vi.advanceTimersByTime(500);
  }
  expect(terminate).toHaveBeenCalledOnce();
});

test.each([
  ['a long text', 'x'.repeat(101)],
  ['an object', { type: 'ended' }],
  ['an unasked number', 1],
])('%s ends the worker', (_what, message) => {
  const { worker, terminate, ending } = setUp();
  worker.say(message);
  expect(terminate).toHaveBeenCalledOnce();
  expect(ending()).toEqual({ type: 'ended', reason: 'too-large' });
});

test('silence ends the worker, after all its messages were delivered', () => {
  const { page, worker, terminate, ending, texts } = setUp();
  worker.say('last words');
  page.say({ type: 'watch' });
  vi.advanceTimersByTime(1_400);
  expect(terminate).not.toHaveBeenCalled();
  vi.advanceTimersByTime(100);
  expect(terminate).toHaveBeenCalledOnce();
  expect(texts()).toEqual(['last words']);
  expect(ending()).toEqual({ type: 'ended', reason: 'silent' });
});

test('a worker that answers continues, and the page learns that the relay is alive', () => {
  const { page, worker, terminate } = setUp();
  page.say({ type: 'watch' });
  for (let tick = 0; tick < 20; tick += 1) {
    worker.say(0);
    vi.advanceTimersByTime(500);
  }
  expect(terminate).not.toHaveBeenCalled();
  expect(worker.sent.filter((message) => message === 0).length).toBeGreaterThanOrEqual(20);
  expect(
    page.sent.filter((message) => (message as RelayNotice).type === 'alive').length,
  ).toBeGreaterThanOrEqual(20);
});

test.each([
  ['frozen', 60_000],
  ['throttled', 1_000],
])('a page that was %s does not blame the worker', (_how, late) => {
  const { page, terminate } = setUp();
  const clock = vi.spyOn(performance, 'now');
  let now = 10_000_000;
  clock.mockImplementation(() => now);
  page.say({ type: 'watch' });
  for (let tick = 0; tick < 6; tick += 1) {
    now += late;
    vi.advanceTimersByTime(500);
  }
  expect(terminate).not.toHaveBeenCalled();
  for (let tick = 0; tick < 3; tick += 1) {
    now += 500;
    vi.advanceTimersByTime(500);
  }
  expect(terminate, 'silence is noticed once the ticks are on time again').toHaveBeenCalledOnce();
  clock.mockRestore();
});

test('a worker that cannot start ends with the message of the browser', () => {
  const { ending, fail, terminate } = setUp();
  fail('SyntaxError: nonsense');
  expect(terminate).toHaveBeenCalledOnce();
  expect(ending()).toEqual({ type: 'ended', reason: 'crashed', detail: 'SyntaxError: nonsense' });
});

test('closing ends the worker without a message', () => {
  const { page, terminate, ending } = setUp();
  page.say({ type: 'close' });
  expect(terminate).toHaveBeenCalledOnce();
  expect(ending()).toBeUndefined();
});
