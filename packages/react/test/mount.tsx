import type { ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { onTestFinished, vi, type Mock } from 'vitest';

/** A React root on the page, without act: frames, effects and scheduling are the browser's own. */
export type Mounted = {
  show(node: ReactNode): void;
  unmount(): void;
  /** What the page says in the element with this test id. */
  text(testId: string): string | undefined;
  /** What components have thrown while rendering. */
  readonly errors: readonly unknown[];
};

/** Shows `node` on the page until the test is over. */
export function mount(node: ReactNode): Mounted {
  const container = document.body.appendChild(document.createElement('div'));
  const errors: unknown[] = [];
  const root = createRoot(container, { onUncaughtError: (error) => errors.push(error) });
  root.render(node);
  let mounted = true;
  const unmount = (): void => {
    if (mounted) root.unmount();
    mounted = false;
  };
  onTestFinished(() => {
    unmount();
    container.remove();
  });
  return {
    show: (next) => root.render(next),
    unmount,
    errors,
    text: (testId) => container.querySelector(`[data-testid="${testId}"]`)?.textContent ?? undefined,
  };
}

/** Sees to it that React has nothing to complain about in this test. Returns what it has said. */
export function watchConsole(): Mock {
  const said = vi.spyOn(console, 'error').mockImplementation(() => {});
  onTestFinished(() => said.mockRestore());
  return said;
}
