import type { RunEvent } from '../log/events.ts';
import { createServerEventCounter } from '../wire/event-limits.ts';

/** The log of a run that has begun in another tab, which arrives in several messages. */
export class IncomingLog {
  /** The id of the run's last start. */
  readonly id: string;
  #events: RunEvent[] = [];
  #isTooLarge = false;
  readonly #count = createServerEventCounter();

  constructor(id: string) {
    this.id = id;
  }

  /**
   * Adds the events of a message. Returns the log once it is whole, and undefined until then, or if it is larger than a
   * log from elsewhere may be.
   */
  add(events: readonly RunEvent[], isWhole: boolean): readonly RunEvent[] | undefined {
    if (this.#isTooLarge) return undefined;
    for (const event of events) {
      if (event.seq < this.#events.length) continue;
      // events before the answer are requested again once the log is followed
      if (event.seq > this.#events.length) return undefined;
      this.#isTooLarge = this.#count(event) !== undefined;
      if (this.#isTooLarge) {
        this.#events = [];
        return undefined;
      }
      this.#events.push(event);
    }
    return isWhole && this.#events.length > 0 ? this.#events : undefined;
  }
}
