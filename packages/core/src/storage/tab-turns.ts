import type { TabLock } from './tab-lock.ts';
import type { TabRequests } from './tab-requests.ts';

/** The turns of one tab to work on the run, one tab at a time. */
export class TabTurns {
  readonly #lock: TabLock;
  readonly #requests: TabRequests;
  #waiting = 0;
  /** For each waiting start: stops the run of another tab. */
  readonly #replacing = new Set<() => void>();

  constructor(lock: TabLock, requests: TabRequests) {
    this.#lock = lock;
    this.#requests = requests;
  }

  /** True while this tab waits for its turn. */
  get isWaiting(): boolean {
    return this.#waiting > 0;
  }

  /**
   * Waits until no other tab works on the run, and resolves with a function that ends the turn. Stops the run of the
   * tab that works on it, and with `replaces` also one that begins meanwhile. Steals the lock of a tab that does not
   * answer.
   */
  async take(replaces: boolean, signal?: AbortSignal): Promise<() => void> {
    const steal = new AbortController();
    const stop = (): void =>
      void this.#requests.send({ type: 'stop' }).then((reply) => reply === undefined && steal.abort());
    this.#waiting += 1;
    if (replaces) this.#replacing.add(stop);
    try {
      if (await this.#lock.isHeldElsewhere()) stop();
      return await this.#lock.take({ signal, steal: steal.signal });
    } finally {
      this.#waiting -= 1;
      this.#replacing.delete(stop);
    }
  }

  /** Called when another tab begins a run: it got the lock before the starts that wait here. */
  onBegunElsewhere(): void {
    for (const stop of this.#replacing) stop();
  }
}
