import { createElement, StrictMode, type Fragment, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';

/** What was counted, or read off the page. */
export type Figures = Record<string, string | number>;

/** Shows nodes on the page. */
export type Stage = {
  show(node: ReactNode): void;
  /** What the page says in the element with this id. */
  text(id: string): string | undefined;
  clear(): void;
};

/** A root of its own at the end of the page, in StrictMode unless that would double what is measured. */
export function openStage(mode: typeof StrictMode | typeof Fragment = StrictMode): Stage {
  const container = document.body.appendChild(document.createElement('div'));
  const root = createRoot(container);
  return {
    show: (node) => root.render(createElement(mode, null, node)),
    text: (id) => container.querySelector(`#${id}`)?.textContent ?? undefined,
    clear() {
      root.unmount();
      container.remove();
    },
  };
}

/** Looks once a frame, until it is so. */
export async function until(what: string, isSo: () => boolean): Promise<void> {
  const deadline = performance.now() + 15_000;
  while (!isSo()) {
    if (performance.now() > deadline) throw new Error(`It never came to ${what}.`);
    await frame();
  }
}

/** The next frame, and what React does after it. */
export function frame(): Promise<void> {
  return new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
}

export function wait(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
