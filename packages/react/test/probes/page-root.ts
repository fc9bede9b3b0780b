import type { ReactNode } from 'react';
import { createRoot } from 'react-dom/client';

/** Shows nodes on the page. */
export type Stage = {
  show(node: ReactNode): void;
  /** What the page says in the element with this id. */
  text(id: string): string | undefined;
  clear(): void;
};

/** A root of its own at the end of the page. */
export function openStage(): Stage {
  const container = document.body.appendChild(document.createElement('div'));
  const root = createRoot(container);
  return {
    show: (node) => root.render(node),
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
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  }
}
