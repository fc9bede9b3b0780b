import { anySignal } from '../base/any-signal.ts';
import { thrownText } from '../base/error-source.ts';
import { checkEvents } from '../executors/check-events.ts';
import type { Executor } from '../executors/executor.ts';
import { openLazily } from '../executors/open-lazily.ts';
import type { StoredCalls } from '../executors/stored-calls.ts';
import type { RunEvent } from '../log/events.ts';
import { lastRunId } from '../log/log-queries.ts';
import type { RunCommand } from '../log/run-handle.ts';
import type { EditReply } from '../tasks/task-item.ts';
import type { DroppableWriter, EventWriter, LoadedLog, TabbedRun } from './event-writer.ts';
import { followTab, type FollowedTab } from './follow-tab.ts';
import { IncomingLog } from './incoming-log.ts';
import { readToEnd } from './read-to-end.ts';
import { RouteRunWriter } from './route-run-writer.ts';
import { openTabChannel, type BroadcastChannelLike, type TabMessage } from './tab-channel.ts';
import { createTabLock, type TabLocks } from './tab-lock.ts';
import { createTabOutbox } from './tab-outbox.ts';
import { createTabRequests } from './tab-requests.ts';
import { TabTurns } from './tab-turns.ts';

type TabWriterOptions = {
  id: string;
  scope: string;
  writer: DroppableWriter;
  run: TabbedRun;
  /** Reads what is stored of the run. */
  readStored(): Promise<LoadedLog>;
};

/** The writer of a tab. */
export type TabWriter = EventWriter & {
  /** True for a run on a route that this tab has not started: another tab may store it. */
  readonly mayBeStoredElsewhere: boolean;
  /** Resolves with false if another tab has taken over the run and stores it. */
  mayStore(): Promise<boolean>;
};

/** How long to wait for the last events of a tab that has released the lock, in milliseconds. */
const LAST_EVENTS_MS = 100;
/** How long the storage may take to return what it has, in milliseconds. */
const READ_MS = 3_000;
/** How long an ended run may take to be stored before another tab may continue it, in milliseconds. */
const STORED_MS = 1_000;
/** How long a run that another tab stops may take to begin, in milliseconds: its prompt function may never return. */
const BEGIN_MS = 1_000;

/**
 * Stores a run that several tabs may show. One of them works on it: it holds the run's lock, stores the events and
 * sends them to the others. These follow it, and one of them continues the run when that tab is gone.
 */
export async function openTabWriter(options: TabWriterOptions): Promise<TabWriter> {
  const tab = new Tab(options);
  await tab.check();
  return tab;
}

/** One of the tabs that show a run. */
class Tab implements TabWriter {
  readonly #readStored: TabWriterOptions['readStored'];
  readonly #writer: TabWriterOptions['writer'];
  readonly #run: TabWriterOptions['run'];
  /** Aborts the work of this tab when another tab steals the lock. */
  #stolen = new AbortController();
  readonly #lock;
  // the channel holds it weakly
  readonly #tab;
  readonly #channel;
  readonly #outbox;
  readonly #requests;
  #mode: 'own' | 'following' | 'route' = 'own';
  #isElsewhere = false;
  readonly #route;
  readonly #turns;
  /** The number of this tab's starts that are in progress. */
  #working = 0;
  /** The number of actions in progress with which this tab continues the run. */
  #actions = 0;
  /** Set while another tab waits for the end of the run that is about to begin here. */
  #stopping: ReturnType<typeof setTimeout> | undefined;
  /** Set while this tab reads what has happened in other tabs. */
  #settling: Promise<boolean> | undefined;
  /** The events of a start that waits for the lock. */
  #waiting: RunEvent[] = [];
  #log = '';
  /** The logs that this tab has shown. */
  readonly #known = new Set<string>(['']);
  /** True once another tab has asked for the events. */
  #isFollowed = false;
  #followed: FollowedTab | undefined;
  /** True once this tab has left the run to another tab. */
  #isLeft = false;
  /** Stops waiting for the lock of the followed run. */
  #leave = (): void => {};
  /** A log that has begun in another tab, until it has arrived. */
  #incoming: IncomingLog | undefined;

  constructor({ id, scope, writer, run, readStored }: TabWriterOptions) {
    this.#readStored = readStored;
    this.#writer = writer;
    this.#run = run;
    const { navigator, BroadcastChannel } = globalThis as unknown as {
      navigator: { locks: TabLocks };
      BroadcastChannel: new (name: string) => BroadcastChannelLike;
    };
    const name = `cueline:run:${scope}:${id}`;
    this.#lock = createTabLock(name, navigator.locks, () => {
      this.#mode = 'following';
      this.#waiting = [];
      writer.drop();
      this.#stolen.abort();
    });
    this.#tab = { onMessage: this.#onMessage, isReady: false };
    this.#channel = openTabChannel(new BroadcastChannel(name), this.#tab);
    this.#outbox = createTabOutbox(this.#channel);
    this.#requests = createTabRequests(this.#channel);
    this.#turns = new TabTurns(this.#lock, this.#requests);
    this.#route = new RouteRunWriter({ writer, run, readStored, channel: this.#channel, known: this.#known });
  }

  /** Asks whether another tab works on the run. */
  async check(): Promise<void> {
    this.#isElsewhere = await this.#lock.isHeldElsewhere();
  }

  add(event: RunEvent): void {
    if (event.seq === 0 && this.#mode === 'following') {
      this.#mode = 'own';
      this.#followed = undefined;
    }
    if (this.#mode === 'following') return;
    if (this.#mode === 'route') return this.#route.add(event);
    if (event.seq === 0) this.#waiting = [];
    if (this.#lock.isHeld && !this.#turns.isWaiting) this.#broadcast(event);
    else this.#waiting.push(event);
  }

  get mayBeStoredElsewhere(): boolean {
    return this.#mode === 'route' && this.#route.mayBeStoredElsewhere;
  }

  async mayStore(): Promise<boolean> {
    if (this.#mode === 'route') return true;
    // a tab that was frozen may not know yet that the lock was stolen
    await this.#lock.confirm().catch(() => {});
    return !this.#stolen.signal.aborted;
  }

  calls(): StoredCalls {
    const calls = this.#writer.calls();
    return {
      ...calls,
      whenStored: async (call) => {
        await calls.whenStored(call);
        if (this.#mode !== 'route' && !(await this.#lock.confirm())) await new Promise(() => {});
      },
    };
  }

  flush(): Promise<void> {
    return this.#writer.flush();
  }

  executor(inner: Executor, isStart: boolean): Executor {
    if ('remote' in inner || inner.replays === true) {
      this.#mode = 'route';
      if (!isStart) this.#route.continue();
      else this.#route.start('remote' in inner);
      for (const event of this.#waiting) this.#writer.add(event);
      this.#waiting = [];
      return inner;
    }
    if (this.#mode === 'route') this.#mode = 'own';
    if (!isStart && this.#isElsewhere) {
      return {
        isPlaced: true,
        start: inner.start,
        attach: (_runId, after, signal) => this.#follow(after, signal),
        send: async (_runId, command) =>
          (await this.#requests.send({ type: 'command', command })) ?? frozenTabError,
      };
    }
    return {
      start: (request, signal) =>
        openLazily(() => this.#runHere((own) => inner.start(request, own), signal, inner.attach)),
      ...(inner.attach === undefined ? {} : { attach: this.#attachHere.bind(this, inner.attach) }),
      ...(inner.send === undefined ? {} : { send: inner.send }),
    };
  }

  alone(action: () => Promise<unknown>, ends: boolean): Promise<unknown> {
    if (this.#mode === 'route' || this.#isBusy) return action();
    const acted = this.#actAlone(action, ends);
    // as with the promise of `action`, a caller may ignore it, because the state says the same
    acted.catch(() => {});
    return acted;
  }

  /** True while this tab works on the run, or is about to. */
  get #isBusy(): boolean {
    return this.#working > 0 || this.#actions > 0;
  }

  leave(): boolean {
    const isElsewhere = this.#mode === 'following' && !this.#turns.isWaiting;
    this.#isLeft ||= isElsewhere;
    return isElsewhere;
  }

  ready(): void {
    this.#tab.isReady = true;
    this.#known.add(lastRunId(this.#run.log()) ?? '');
    const last = this.#run.log().at(-1);
    // another tab may have begun while this one was opening
    if (this.#mode !== 'route' && (last === undefined || last.type === 'run-end')) {
      this.#channel.post({ type: 'ask', log: '', after: -1 });
    }
  }

  readonly #onMessage = (message: TabMessage): void => {
    if (!this.#tab.isReady) return;
    switch (message.type) {
      case 'begun':
        if (message.isStored === true) {
          return void this.#route.show(message.log, () => this.#turns.isWaiting || this.#working > 0);
        }
        this.#turns.onBegunElsewhere();
        if (this.#turns.isWaiting || message.log === this.#followed?.log || this.#mode === 'route') return;
        // another tab may have stolen the lock, and this tab does not know it yet
        if (this.#lock.isHeld)
          return void this.#lock.confirm().then((isHeld) => (isHeld ? undefined : this.#onMessage(message)));
        this.#followed?.finish();
        this.#incoming = new IncomingLog(message.log);
        this.#channel.post({ type: 'ask', log: message.log, after: -1 });
        return;
      case 'events':
        if (message.log === this.#followed?.log) this.#followed.push(message.events);
        else if (message.log === this.#incoming?.id) this.#receive(this.#incoming, message);
        return;
      case 'ask':
        // also for a moment after the end, which may come before the question
        if (this.#mode === 'own' && (message.log === this.#log || this.#isUpToDate))
          this.#answer(message.log, message.after);
        return;
      case 'command':
        if (this.#lock.isHeld) void this.#execute(message.key, message.command);
        return;
      case 'stop':
        if (!this.#lock.isHeld) return;
        this.#channel.post({ type: 'reply', key: message.key, reply: { accepted: true } });
        // a message that is being sent stays in the conversation, because its run begins first
        if (this.#isBeginning) this.#stopping ??= setTimeout(this.#stopNow, BEGIN_MS);
        else this.#run.stop();
        return;
      default:
        this.#requests.answer(message.key, message.reply);
    }
  };

  /** Stops the run for a tab that waits for that. */
  readonly #stopNow = (): void => {
    if (this.#stopping === undefined) return;
    this.#cancelStop();
    this.#run.stop();
  };

  /** True while this tab holds the lock for an action whose run has no event yet. */
  get #isBeginning(): boolean {
    return this.#settling !== undefined || (this.#actions > 0 && this.#run.log().length === 0);
  }

  /** True if this tab shows everything that has happened, because it is the one that may work on the run. */
  get #isUpToDate(): boolean {
    return this.#lock.isHeld && this.#settling === undefined;
  }

  #receive(incoming: IncomingLog, { events, isWhole }: Extract<TabMessage, { type: 'events' }>): void {
    const whole = incoming.add(events, isWhole);
    if (whole === undefined) return;
    this.#incoming = undefined;
    this.#isElsewhere = true;
    this.#known.add(incoming.id);
    this.#run.show(whole);
  }

  #answer(asked: string, after: number): void {
    this.#isFollowed = true;
    this.#outbox.flush();
    const events = this.#run.log();
    this.#log = lastRunId(events) ?? this.#log;
    if (asked !== this.#log) return this.#channel.post({ type: 'begun', log: this.#log });
    this.#outbox.send(this.#log, events.slice(after + 1));
  }

  async #execute(key: string, command: RunCommand): Promise<void> {
    const reply = await this.#run
      .command(command)
      .catch((error: unknown): EditReply => ({ accepted: false, reason: thrownText(error) }));
    this.#channel.post({ type: 'reply', key, reply });
  }

  #broadcast(event: RunEvent): void {
    this.#writer.add(event);
    if (event.type === 'run-start' || event.type === 'run-resume') {
      this.#log = event.runId;
      this.#known.add(this.#log);
      this.#channel.post({ type: 'begun', log: this.#log });
      // a moment later, when the run has its first event
      queueMicrotask(this.#stopNow);
    }
    if (this.#isFollowed) this.#outbox.add(this.#log, event);
  }

  /**
   * Works on the run here, once no other tab does. Holds the lock until the run has ended, also if its caller stops
   * reading.
   */
  async #runHere(
    start: (signal: AbortSignal) => AsyncIterable<RunEvent>,
    signal: AbortSignal,
    attach: Executor['attach'],
  ): Promise<AsyncIterator<RunEvent>> {
    const release = await this.#turns.take(true, signal);
    this.#isElsewhere = false;
    this.#working += 1;
    if (this.#stolen.signal.aborted) this.#stolen = new AbortController();
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const event of waiting) this.#broadcast(event);
    const own = anySignal(signal, this.#stolen.signal);
    const onEnd = (): void => {
      this.#working -= 1;
      this.#outbox.flush();
      // by then the run has the end that its executor did not emit
      setTimeout(() => void this.#stored().then(release));
    };
    const runId = lastRunId(this.#run.log()) ?? '';
    try {
      return readToEnd(checkEvents(start(own)), {
        runId,
        attach: (id) => attach?.(id, Infinity, own),
        onEnd,
      });
    } catch (error) {
      onEnd();
      throw error;
    }
  }

  /** Resolves once everything is stored, or the storage has had enough time. */
  async #stored(): Promise<void> {
    const late = new Promise<void>((resolve) => setTimeout(resolve, STORED_MS));
    await Promise.race([this.#writer.flush(), late]);
  }

  /** Follows a run of this tab again. */
  #attachHere(
    attach: NonNullable<Executor['attach']>,
    ...[runId, after, signal]: Parameters<typeof attach>
  ): AsyncIterable<RunEvent> | undefined {
    const more = attach(runId, after, signal);
    // with an aborted signal, the run only ends
    if (more === undefined || signal.aborted) return more;
    return openLazily(() => this.#runHere(() => more, signal, attach));
  }

  #follow(after: number, signal: AbortSignal): AsyncIterable<RunEvent> {
    this.#mode = 'following';
    this.#waiting = [];
    const closing = new AbortController();
    const ask = (after: number): void => this.#channel.post({ type: 'ask', log: mine.log, after });
    const mine = followTab(lastRunId(this.#run.log()) ?? '', after, {
      onGap: ask,
      onOver: () => closing.abort(),
    });
    this.#followed = mine;
    ask(after);
    const stop = (): void => {
      closing.abort();
      void this.#requests.send({ type: 'stop' });
    };
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
    this.#leave = () => closing.abort();
    this.#lock.take({ signal: closing.signal }).then(
      (release) => void this.#takeOver(mine, signal).finally(() => this.#releaseLock(release)),
      () => {},
    );
    return mine.events;
  }

  /** Continues a run whose tab is gone, unless it is stopped here before that. */
  async #takeOver(mine: FollowedTab, signal: AbortSignal): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, LAST_EVENTS_MS));
    if (this.#followed !== mine || mine.isOver) return;
    const isOpen = await this.#settle(mine);
    if (!isOpen || this.#isBusy || (this.#isLeft && !this.#run.isWatched())) return;
    if (signal.aborted) return this.#endForAllTabs();
    await this.#runAction(() => this.#run.retry()).catch(() => {});
  }

  /** Stores the shown log, which has ended in this tab, and sends it to the tabs that follow it. */
  async #endForAllTabs(): Promise<void> {
    this.#isFollowed = true;
    for (const event of this.#run.log()) this.#broadcast(event);
    await this.#stored();
  }

  /**
   * Shows everything that has happened, and ends the following, because no other tab works on the run any more. If
   * this tab has not received all events of the other tab, the stored ones count. Returns true if the shown log has
   * only the end that it gets here.
   */
  #settle(mine: FollowedTab | undefined): Promise<boolean> {
    return (this.#settling ??= this.#readAndShow(mine).finally(() => (this.#settling = undefined)));
  }

  async #readAndShow(mine: FollowedTab | undefined): Promise<boolean> {
    const late = new Promise<LoadedLog>((resolve) => setTimeout(resolve, READ_MS, { events: [] }));
    const read = this.#readStored().catch(() => ({ events: [] }));
    const { events } = await Promise.race([read, late]);
    const stored = lastRunId(events);
    if (stored === mine?.log) mine?.push(events);
    this.#isElsewhere = false;
    const isCut = mine?.isOver === false;
    if (mine !== undefined) {
      // not as an error, which `onError` would get although the run continues
      mine.finish();
      // the action ends by itself
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
    this.#mode = 'own';
    const shown = this.#run.log();
    const isNewer = stored === lastRunId(shown) ? isLonger(events, shown) : !this.#known.has(stored ?? '');
    if (!isNewer || events.length === 0) return isCut;
    this.#run.show(events);
    const last = this.#run.log().at(-1);
    return last?.type !== 'run-end' || last.error?.code === 'interrupted';
  }

  async #actAlone(action: () => Promise<unknown>, ends: boolean): Promise<unknown> {
    const wasDone = this.#isDone();
    const mine = this.#mode === 'following' && this.#followed?.isOver === false ? this.#followed : undefined;
    this.#leave();
    const release = await this.#turns.take(false);
    this.#isElsewhere = false;
    // another action of this tab may have begun meanwhile
    if (!this.#isBusy) await this.#settle(mine);
    const isEnded = ends && !wasDone && this.#isDone();
    const result = isEnded ? Promise.resolve(this.#run.attempts.shown?.result) : this.#runAction(action);
    // a moment later, so that an action that replaces this one keeps the lock
    return result.finally(() => setTimeout(() => this.#releaseLock(release)));
  }

  #releaseLock(release: () => void): void {
    if (this.#actions === 0) this.#cancelStop();
    release();
  }

  #cancelStop(): void {
    clearTimeout(this.#stopping);
    this.#stopping = undefined;
  }

  async #runAction(action: () => Promise<unknown>): Promise<unknown> {
    this.#actions += 1;
    try {
      return await action();
    } finally {
      this.#actions -= 1;
    }
  }

  #isDone(): boolean {
    const last = this.#run.log().at(-1);
    return last?.type === 'run-end' && last.outcome === 'done';
  }
}

const frozenTabError: EditReply = {
  accepted: false,
  reason: 'The tab in which this run is in progress does not answer. Open that tab, or start the run here.',
};

/** True if a log has more events of the same start than the shown log, which may have been ended here. */
function isLonger(log: readonly RunEvent[], shown: readonly RunEvent[]): boolean {
  if (log.length !== shown.length) return log.length > shown.length;
  return log.at(-1)?.type !== shown.at(-1)?.type;
}
