/** What a page says about itself: when something was there, and how its frames came. */
export type Probes = {
  /** Times of the first frame with what a selector finds, in milliseconds since the navigation or the last press. */
  seen: Record<string, number>;
  /** The time of the last press of a pointer, in milliseconds since the navigation. */
  pressedAt: number;
  /** Starts to look for these anew. */
  lookFor(selectors: Record<string, string>): void;
  /** How many frames there were. */
  frames: number;
  /** Keys whose effect was painted 16 ms or more after the press, with that time in milliseconds. */
  slowKeys: number[];
};

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
  const isShown = (selector: string): boolean =>
    [...document.querySelectorAll<HTMLElement>(selector)].some(
      (found) => (found.textContent ?? '').trim() !== '' || found.className.includes('squiggly'),
    );
  const probes: Probes = {
    seen: {},
    frames: 0,
    pressedAt: 0,
    slowKeys: [],
    lookFor(next) {
      sought = next;
      probes.seen = {};
    },
  };
  const look = (): void => {
    const now = performance.now();
    for (const [name, selector] of Object.entries(sought)) {
      if (probes.seen[name] === undefined && isShown(selector)) probes.seen[name] = now - probes.pressedAt;
    }
    probes.frames += 1;
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
  addEventListener(
    'pointerdown',
    ({ timeStamp }) => {
      probes.pressedAt = timeStamp;
      performance.mark('pressed');
    },
    { capture: true },
  );
  new PerformanceObserver((list) => {
    for (const { name, duration } of list.getEntries())
      if (name === 'keydown') probes.slowKeys.push(duration);
  }).observe({ type: 'event', durationThreshold: 16 } as PerformanceObserverInit);
  window.probes = probes;
}
