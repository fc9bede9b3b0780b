import { Activity, version, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { onTestFinished, vi, type Mock } from 'vitest';

/** Whether this React can hide a part of the page and keep it: for `test.skipIf(!hasActivity)`. React 18 cannot. */
export const hasActivity: boolean = (Activity as unknown) !== undefined;

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
  // React 18 knows no onUncaughtError: it lets the page know, at each of its attempts to render
  const uncaught = ({ error }: ErrorEvent): void => void (errors[0] = error);
  if (version.startsWith('18.')) window.addEventListener('error', uncaught);
  root.render(node);
  let mounted = true;
  const unmount = (): void => {
    if (mounted) root.unmount();
    mounted = false;
  };
  onTestFinished(() => {
    unmount();
    container.remove();
    window.removeEventListener('error', uncaught);
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

/** Waits until what is in progress is shown: for this time, and for two frames, which take longer on a busy machine. */
export async function settle(milliseconds = 60): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, milliseconds));
  // in the first frame a run calls its listeners, and React may render in the second
  for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
}
