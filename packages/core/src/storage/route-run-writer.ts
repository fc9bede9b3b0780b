import type { RunEvent } from '../log/events.ts';
import { lastRunId } from '../log/log-queries.ts';
import type { EventWriter, LoadedLog, TabbedRun } from './event-writer.ts';
import type { TabChannel } from './tab-channel.ts';

type RouteRunWriterOptions = {
  writer: EventWriter;
  run: TabbedRun;
  /** Reads what is stored of the run. */
  readStored(): Promise<LoadedLog>;
  channel: TabChannel;
  /** The logs that this tab has shown. */
  known: Set<string>;
};

/**
 * Stores a run on a route in the tab that has started it. Each other tab follows the run by itself, and stores
 * nothing.
 */
export class RouteRunWriter {
  readonly #options: RouteRunWriterOptions;
  /**
   * The shown run: it `starts` here and has no id yet, it has `started` here, it was `found` in the storage, or
   * `other`: another tab has started it and stores it.
   */
  #origin: 'starts' | 'started' | 'found' | 'other' = 'found';

  constructor(options: RouteRunWriterOptions) {
    this.#options = options;
  }

  /** The run starts in this tab. A remote one gets its id from the route. */
  start(isRemote: boolean): void {
    this.#origin = isRemote ? 'starts' : 'started';
  }

  /** This tab follows the run that it shows. */
  continue(): void {
    if (this.#origin !== 'other') this.#origin = 'found';
  }

  /** True if another tab may store the shown run, because this one has not started it. */
  get mayBeStoredElsewhere(): boolean {
    return this.#origin === 'found' || this.#origin === 'other';
  }

  /** Stores an event, and lets the other tabs know once the start of the run is stored. */
  add(event: RunEvent): void {
    const { writer, channel } = this.#options;
    if (event.seq === 0 && this.#origin === 'other') this.#origin = 'found';
    if (this.#origin === 'other') return;
    writer.add(event);
    if (this.#origin !== 'starts') return;
    if (event.type === 'run-end') this.#origin = 'started';
    if (event.type !== 'run-start' && event.type !== 'run-resume') return;
    this.#origin = 'started';
    const { runId: log } = event;
    void writer.flush().then(() => channel.post({ type: 'begun', log, isStored: true }));
  }

  /** Shows a run that another tab has started, unless a run starts in this tab or is in progress here (`isBusy`). */
  async show(log: string, isBusy: () => boolean): Promise<void> {
    const { run, readStored, known } = this.#options;
    const { shown } = run.attempts;
    const { events } = await readStored().catch(() => ({ events: [] }));
    if (this.#origin === 'starts' || isBusy()) return;
    if (run.attempts.shown !== shown || lastRunId(events) !== log) return;
    this.#origin = 'other';
    known.add(log);
    run.show(events);
  }
}
