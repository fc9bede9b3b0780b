import { anySignal } from '../base/any-signal.ts';
import { createId } from '../base/create-id.ts';
import { createEventCounter } from '../wire/event-limits.ts';
import type { RunEvent } from '../log/events.ts';
import type { EditReply } from '../tasks/task.ts';
import type { RunCommand } from '../executors/executor.ts';
import { followTab, type FollowedTab } from './follow-tab.ts';
import { lastRunId } from '../log/log-parts.ts';
import type { RunStorage } from './run-storage.ts';
import { readStored, type EventWriter, type StoredLog } from './store-events.ts';
import { openTabChannel, type BroadcastChannelLike, type TabMessage } from './tab-channel.ts';
import { createTabLock, type TabLocks } from './tab-lock.ts';
import { openLazily } from '../executors/open-lazily.ts';

/** The run of a tab, as far as other tabs act on it. */
export type TabbedRun = {
  readonly attempts: { readonly shown: { readonly result: Promise<unknown> } | undefined };
  log(): readonly RunEvent[];
  /** Shows a log that grows in another tab. */
  show(events: readonly RunEvent[]): void;
  retry(): Promise<unknown>;
  command(command: RunCommand): Promise<EditReply>;
  stop(): void;
};

type TabOptions = { id: string; scope: string; storage: RunStorage; writer: EventWriter; run: TabbedRun };

/** How long a tab may take to answer before it counts as frozen, in milliseconds. */
const SILENT_MS = 5_000;
/** How long events wait so that others are sent together with them, in milliseconds. */
const BATCH_MS = 30;
/** How long the last events may take of a tab that has released the lock, in milliseconds. */
const LAST_EVENTS_MS = 100;
/** The maximum number of events in one message. */
const MAX_EVENTS = 200;
/** How long the storage may take to return what it has, in milliseconds. */
const READ_MS = 3_000;
/** How long an ended run may take to be stored before another tab may continue it, in milliseconds. */
const STORED_MS = 1_000;

/**
 * Stores a run that several tabs may show. One of them works on it: it holds the run's lock, stores the events and
 * sends them to the others. These follow it, and one of them continues the run when that tab is gone.
 */
export async function openTab({ id, scope, storage, writer, run }: TabOptions): Promise<EventWriter> {
  const { navigator, BroadcastChannel } = globalThis as unknown as {
    navigator: { locks: TabLocks };
    BroadcastChannel: new (name: string) => BroadcastChannelLike;
  };

  /** Aborts the work of this tab when another tab steals the lock. */
  let stolen = new AbortController();
  const name = `cueline:run:${scope}:${id}`;
  const lock = createTabLock(name, navigator.locks, () => {
    mode = 'following';
    waiting = [];
    stolen.abort();
  });
  // the channel holds it weakly
  const tab = { hear, isReady: false };
  const channel = openTabChannel(new BroadcastChannel(name), tab);
  /** `direct`: a run on a route, which each tab follows by itself. */
  let mode: 'own' | 'following' | 'direct' = 'own';
  let isElsewhere = await lock.isHeldElsewhere();
  /** The number of this tab's starts that wait for the lock. */
  let starts = 0;
  /** The number of this tab's starts that are in progress. */
  let working = 0;
  /** The events of a start that waits for the lock. */
  let waiting: RunEvent[] = [];
  let log = '';
  /** The logs that this tab has shown. */
  const known = new Set<string>(['']);
  /** True once another tab has asked for the events. */
  let isFollowed = false;
  let outbox: RunEvent[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  let followed: FollowedTab | undefined;
  /** Stops waiting for the lock of the followed run. */
  let leave = (): void => {};
  /** The beginning of a log that grows in another tab. */
  let incoming: { log: string; events: RunEvent[]; count: ReturnType<typeof createEventCounter> } | undefined;
  const replies = new Map<string, (reply: EditReply) => void>();

  function hear(message: TabMessage): void {
    if (!tab.isReady) return;
    switch (message.type) {
      case 'begun':
        if (starts > 0 || message.log === followed?.log || mode === 'direct') return;
        // another tab may have stolen the lock, and this tab does not know it yet
        if (lock.isHeld) return void lock.confirm().then((isHeld) => (isHeld ? undefined : hear(message)));
        followed?.finish();
        incoming = { log: message.log, events: [], count: createEventCounter() };
        channel.post({ type: 'ask', log: message.log, after: -1 });
        return;
      case 'events':
        if (message.log === followed?.log) followed.push(message.events);
        else if (message.log === incoming?.log) receive(message.events, message.isWhole);
        return;
      case 'ask':
        // also for a moment after the end, which may come before the question
        if (lock.isHeld || (mode === 'own' && message.log === log)) answer(message.log, message.after);
        return;
      case 'command':
        if (lock.isHeld) void obey(message.key, message.command);
        return;
      case 'stop':
        if (!lock.isHeld) return;
        channel.post({ type: 'reply', key: message.key, reply: { accepted: true } });
        run.stop();
        return;
      default:
        replies.get(message.key)?.(message.reply);
    }
  }

  function receive(events: readonly RunEvent[], isWhole: boolean): void {
    const whole = incoming!;
    for (const event of events) {
      if (event.seq < whole.events.length) continue;
      // events before the answer are requested again once the log is followed
      if (event.seq > whole.events.length) return;
      if (whole.count(event) !== undefined) return void (incoming = undefined);
      whole.events.push(event);
    }
    if (!isWhole || whole.events.length === 0) return;
    incoming = undefined;
    isElsewhere = true;
    known.add(whole.log);
    run.show(whole.events);
  }

  function answer(asked: string, after: number): void {
    isFollowed = true;
    send();
    const events = run.log();
    log = lastRunId(events) ?? log;
    if (asked !== log) return channel.post({ type: 'begun', log });
    const missing = events.slice(after + 1);
    for (let at = 0; at === 0 || at < missing.length; at += MAX_EVENTS) {
      const isWhole = at + MAX_EVENTS >= missing.length;
      channel.post({ type: 'events', log, events: missing.slice(at, at + MAX_EVENTS), isWhole });
    }
  }

  async function obey(key: string, command: RunCommand): Promise<void> {
    const reply = await run
      .command(command)
      .catch((error: unknown): EditReply => ({ accepted: false, reason: String(error) }));
    channel.post({ type: 'reply', key, reply });
  }

  /** Sends a message to the tab that works on the run. Returns undefined if that tab does not answer. */
  function say(
    message: { type: 'stop' } | { type: 'command'; command: RunCommand },
  ): Promise<EditReply | undefined> {
    const key = createId('say');
    return new Promise((resolve) => {
      const silent = setTimeout(done, SILENT_MS);
      function done(reply?: EditReply): void {
        clearTimeout(silent);
        replies.delete(key);
        resolve(reply);
      }
      replies.set(key, done);
      channel.post({ ...message, key });
    });
  }

  function give(event: RunEvent): void {
    writer.add(event);
    if (event.type === 'run-start' || event.type === 'run-resume') {
      log = event.runId;
      known.add(log);
      channel.post({ type: 'begun', log });
    }
    if (!isFollowed) return;
    outbox.push(event);
    if (outbox.length >= MAX_EVENTS || event.type === 'run-end') send();
    else timer ??= setTimeout(send, BATCH_MS);
  }

  function send(): void {
    clearTimeout(timer);
    timer = undefined;
    if (outbox.length > 0) channel.post({ type: 'events', log, events: outbox, isWhole: true });
    outbox = [];
  }

  /** Waits until no other tab works on the run. Steals the lock of a tab that does not answer. */
  async function own(signal?: AbortSignal): Promise<() => void> {
    starts += 1;
    try {
      const steal = new AbortController();
      if (await lock.isHeldElsewhere()) {
        void say({ type: 'stop' }).then((reply) => reply === undefined && steal.abort());
      }
      const release = await lock.take({ signal, steal: steal.signal });
      isElsewhere = false;
      return release;
    } finally {
      starts -= 1;
    }
  }

  /** Runs a start here, once no other tab works on the run. */
  async function runHere(
    start: (signal: AbortSignal) => AsyncIterable<RunEvent>,
    signal: AbortSignal,
  ): Promise<AsyncIterator<RunEvent>> {
    const release = await own(signal);
    working += 1;
    if (stolen.signal.aborted) stolen = new AbortController();
    const given = waiting;
    waiting = [];
    for (const event of given) give(event);
    const events = start(anySignal(signal, stolen.signal))[Symbol.asyncIterator]();
    let isOver = false;
    const over = (): void => {
      if (isOver) return;
      isOver = true;
      working -= 1;
      send();
      const late = new Promise((resolve) => setTimeout(resolve, STORED_MS));
      void Promise.race([writer.flush(), late]).then(release);
    };
    const next = async (): Promise<IteratorResult<RunEvent>> => {
      try {
        const event = await events.next();
        if (event.done === true) over();
        return event;
      } catch (error) {
        over();
        throw error;
      }
    };
    return {
      next,
      async return() {
        // a caller who stops reading does not end it
        void (async () => {
          while ((await next()).done !== true);
        })().catch(() => {});
        return { done: true, value: undefined };
      },
    };
  }

  function follow(after: number, signal: AbortSignal): AsyncIterable<RunEvent> {
    mode = 'following';
    waiting = [];
    const closing = new AbortController();
    const ask = (after: number): void => channel.post({ type: 'ask', log: mine.log, after });
    const mine = followTab(lastRunId(run.log()) ?? '', after, {
      onGap: ask,
      onOver: () => closing.abort(),
    });
    followed = mine;
    ask(after);
    const stop = (): void => {
      closing.abort();
      void say({ type: 'stop' });
    };
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
    leave = () => closing.abort();
    lock.take({ signal: closing.signal }).then(
      (release) => void takeOver(mine, release),
      () => {},
    );
    return mine.events;
  }

  /** Continues a run whose tab is gone. */
  async function takeOver(mine: FollowedTab, release: () => void): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, LAST_EVENTS_MS));
    if (followed !== mine || mine.isOver) return release();
    await settle(mine);
    if (hasEnded()) return release();
    await run
      .retry()
      .catch(() => {})
      .finally(release);
  }

  /**
   * Shows everything that has happened, and ends the following, because no other tab works on the run any more. If
   * this tab has not received all events of the other tab, the stored ones count.
   */
  async function settle(mine: FollowedTab | undefined): Promise<void> {
    const late = new Promise<StoredLog>((resolve) => setTimeout(resolve, READ_MS, { events: [] }));
    const read = readStored(storage, id).catch(() => ({ events: [] }));
    const { events } = await Promise.race([read, late]);
    const stored = lastRunId(events);
    if (stored === mine?.log) mine?.push(events);
    isElsewhere = false;
    if (mine !== undefined) {
      mine.interrupt();
      // it ends by itself
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
    mode = 'own';
    const shown = run.log();
    const isNews = stored === lastRunId(shown) ? isLonger(events, shown) : !known.has(stored ?? '');
    if (isNews && events.length > 0) run.show(events);
  }

  /** False if the shown log was interrupted. */
  function hasEnded(): boolean {
    const last = run.log().at(-1);
    return last?.type === 'run-end' && last.error?.code !== 'interrupted';
  }

  async function moveAlone(move: () => Promise<unknown>, ends: boolean): Promise<unknown> {
    const wasDone = isDone();
    const mine = mode === 'following' && followed?.isOver === false ? followed : undefined;
    leave();
    const release = await own();
    await settle(mine);
    const result = ends && !wasDone && isDone() ? run.attempts.shown?.result : move();
    return Promise.resolve(result).finally(release);
  }

  function isDone(): boolean {
    const last = run.log().at(-1);
    return last?.type === 'run-end' && last.outcome === 'done';
  }

  return {
    add(event) {
      if (event.seq === 0 && mode === 'following') {
        mode = 'own';
        followed = undefined;
      }
      if (mode === 'following') return;
      if (mode === 'direct') return writer.add(event);
      if (event.seq === 0) waiting = [];
      if (lock.isHeld && starts === 0) give(event);
      else waiting.push(event);
    },
    calls() {
      const calls = writer.calls();
      return {
        ...calls,
        async whenStored(call) {
          await calls.whenStored(call);
          if (mode !== 'direct' && !(await lock.confirm())) await new Promise(() => {});
        },
      };
    },
    flush: () => writer.flush(),
    executor(inner, isStart) {
      if ('remote' in inner || inner.replays === true) {
        mode = 'direct';
        for (const event of waiting) writer.add(event);
        waiting = [];
        return inner;
      }
      if (!isStart && isElsewhere) {
        return {
          isPlaced: true,
          start: inner.start,
          attach: (_runId, after, signal) => follow(after, signal),
          send: async (_runId, command) => (await say({ type: 'command', command })) ?? frozenTabError,
        };
      }
      return {
        start: (request, signal) => openLazily(() => runHere((own) => inner.start(request, own), signal)),
        ...(inner.attach === undefined ? {} : { attach: inner.attach }),
        ...(inner.send === undefined ? {} : { send: inner.send }),
      };
    },
    alone: (move, ends) => (mode === 'direct' || working > 0 ? move() : moveAlone(move, ends)),
    ready() {
      tab.isReady = true;
      known.add(lastRunId(run.log()) ?? '');
      const last = run.log().at(-1);
      // another tab may have begun while this one was opening
      if (mode !== 'direct' && (last === undefined || last.type === 'run-end')) {
        channel.post({ type: 'ask', log: '', after: -1 });
      }
    },
  };
}

const frozenTabError: EditReply = {
  accepted: false,
  reason: 'The tab in which this run is under way does not answer. Open that tab, or start the run here.',
};

/** True if a log has more events of the same start than the shown log, which may have been ended here. */
function isLonger(log: readonly RunEvent[], shown: readonly RunEvent[]): boolean {
  if (log.length !== shown.length) return log.length > shown.length;
  return log.at(-1)?.type !== shown.at(-1)?.type;
}
