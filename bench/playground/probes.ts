/** What a page says about itself: when something was there, how long its thread was busy, how its frames came. */
export type Probes = {
  /** Times of the first frame with what a selector finds, in milliseconds since the navigation or the last press. */
  seen: Record<string, number>;
  /** Begin and length of each task of more than 50 ms, in milliseconds. */
  longTasks: [start: number, duration: number][];
  /** The time of the last press of a pointer, in milliseconds since the navigation. */
  pressedAt: number;
  /** Starts to look for these anew. */
  lookFor(selectors: Record<string, string>): void;
  /** Starts to note frames, and ends it. */
  watchFrames(): void;
  frames(): Frame[];
  /** Keys whose effect was painted 16 ms or more after the press, with that time in milliseconds. */
  slowKeys: number[];
};

/** The time since the frame before, and how long the thread was busy with this one, both in milliseconds. */
export type Frame = { after: number; busy: number };

declare global {
  interface Window {
    probes: Probes;
  }
}

/** Installs the probes in a page, before any of its own code. Runs in the page: it uses nothing from outside. */
export function installProbes(selectors: Record<string, string>): void {
  // the sandbox's frame has nothing to show
  if (window !== window.top) return;
  let sought = selectors;
  let frames: Frame[] | undefined;
  let last = 0;
  const channel = new MessageChannel();
  let frame: Frame | undefined;
  channel.port1.addEventListener('message', () => {
    // comes after the frame has been laid out and painted
    if (frame !== undefined) frame.busy = performance.now() - last;
  });
  channel.port1.start();

  const isShown = (selector: string): boolean =>
    [...document.querySelectorAll<HTMLElement>(selector)].some(
      (found) => (found.textContent ?? '').trim() !== '' || found.className.includes('squiggly'),
    );
  const probes: Probes = {
    seen: {},
    longTasks: [],
    pressedAt: 0,
    slowKeys: [],
    lookFor(next) {
      sought = next;
      probes.seen = {};
    },
    watchFrames() {
      frames = [];
    },
    frames() {
      const watched = frames ?? [];
      frames = undefined;
      // the first one began before
      return watched.slice(1);
    },
  };
  const look = (): void => {
    const now = performance.now();
    for (const [name, selector] of Object.entries(sought)) {
      if (probes.seen[name] === undefined && isShown(selector)) probes.seen[name] = now - probes.pressedAt;
    }
    if (frames !== undefined) {
      frame = { after: now - last, busy: 0 };
      frames.push(frame);
      channel.port2.postMessage(null);
    }
    last = now;
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
  addEventListener('pointerdown', ({ timeStamp }) => (probes.pressedAt = timeStamp), { capture: true });
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) probes.longTasks.push([startTime, duration]);
  }).observe({ type: 'longtask', buffered: true });
  new PerformanceObserver((list) => {
    for (const { name, duration } of list.getEntries())
      if (name === 'keydown') probes.slowKeys.push(duration);
  }).observe({ type: 'event', durationThreshold: 16 } as PerformanceObserverInit);
  window.probes = probes;
}
