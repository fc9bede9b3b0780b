import type { toast as Draw } from 'sonner';
import { expect, it, vi } from 'vitest';

it('keeps the messages of the time before they could be drawn, in their order and under their ids', async () => {
  // a page on which nothing can be drawn yet
  vi.resetModules();
  const { drawToasts, toast } = await import('../../src/ui/toast.ts');
  const calls: unknown[][] = [];
  const offer = toast('An \u202eexample is in the editor.', { duration: 10_000 });
  const problem = toast.error('The last run could not be opened again.');
  toast.dismiss(offer);

  const record =
    (kind: string) =>
    (...args: unknown[]) =>
      calls.push([kind, ...args]);
  drawToasts({
    message: record('message'),
    error: record('error'),
    dismiss: record('dismiss'),
  } as unknown as typeof Draw);
  await Promise.resolve();

  expect(offer).not.toBe(problem);
  expect(calls).toEqual([
    ['message', 'An \\u202eexample is in the editor.', { id: offer, duration: 10_000 }],
    ['error', 'The last run could not be opened again.', { id: problem }],
    ['dismiss', offer],
  ]);
});
