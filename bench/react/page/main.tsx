import { createElement } from 'react';
import { createRoot } from 'react-dom/client';
import { conversation, planPieces, sayPlan, textPieces } from './answers.ts';
import { Floor } from './baseline.tsx';
import type { Contender, ContenderProps } from './contender.ts';
import { feeds, type FeedName } from './feeds.ts';
import { runMany } from './many-runs.tsx';
import { WithThrottledUseChat, WithUseChat } from './with-use-chat.tsx';
import { WithThrottledUsePrompt, WithUsePrompt } from './with-use-prompt.tsx';

const contenders = {
  floor: Floor,
  usePrompt: WithUsePrompt,
  'usePrompt, throttle 50': WithThrottledUsePrompt,
  useChat: WithUseChat,
  'useChat, throttle 50': WithThrottledUseChat,
} satisfies Record<string, Contender>;

export type ContenderName = keyof typeof contenders;

/** The answer to show: a number of text deltas, or a tool call with a number of bytes of arguments. */
export type Task = {
  feed: FeedName;
  /** The number of messages above the answer. */
  earlier?: number;
} & ({ deltas: number } | { bytes: number });

/** The measurements of one answer. */
export type Showing = { renders: number; longestTask: number };

/** Shows one answer from its first delta to its last, and removes it from the page. */
async function show(name: ContenderName, task: Task): Promise<Showing> {
  const container = document.querySelector('#root')!.appendChild(document.createElement('div'));
  const root = createRoot(container);
  let renders = 0;
  let longestTask = 0;
  const observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) longestTask = Math.max(longestTask, duration);
  });
  observer.observe({ type: 'longtask' });
  const kind = 'deltas' in task ? 'text' : 'argument';
  const pieces = 'deltas' in task ? textPieces(task.deltas) : planPieces(task.bytes);
  const whole = kind === 'text' ? pieces.join('') : sayPlan(JSON.parse(pieces.join('')));
  root.render(
    createElement<ContenderProps>(contenders[name], {
      kind,
      feed: feeds[task.feed],
      pieces,
      earlier: conversation(task.earlier ?? 0),
      rendered: () => void (renders += 1),
    }),
  );

  await new Promise<void>((resolve, reject) => {
    const deadline = performance.now() + 180_000;
    const look = (): void => {
      const text = container.querySelector('#answer')?.textContent ?? '';
      // the length first, because comparing the whole text at every frame would be measured, too
      if (text.length === whole.length && text === whole) return resolve();
      if (performance.now() < deadline) return void requestAnimationFrame(look);
      reject(
        new Error(`In three minutes ${name} showed "${text.slice(-80)}" and not "${whole.slice(-80)}".`),
      );
    };
    requestAnimationFrame(look);
  });
  // the frame after the last render, and time for the observer to be notified
  await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 20)));
  observer.disconnect();
  root.unmount();
  container.remove();
  return { renders, longestTask };
}

declare global {
  interface Window {
    show: typeof show;
    runMany: typeof runMany;
  }
}
Object.assign(window, { show, runMany });
