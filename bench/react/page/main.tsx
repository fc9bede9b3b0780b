import { createElement } from 'react';
import { createRoot } from 'react-dom/client';
import type { Contender, ContenderProps } from './contender.ts';
import { deltaText, feeds, type FeedName } from './feeds.ts';
import { Floor } from './floor.tsx';
import { WithThrottledUseChat, WithUseChat } from './with-use-chat.tsx';
import { WithUsePrompt } from './with-use-prompt.tsx';

const contenders = {
  floor: Floor,
  usePrompt: WithUsePrompt,
  useChat: WithUseChat,
  'useChat, throttle 50': WithThrottledUseChat,
} satisfies Record<string, Contender>;

export type ContenderName = keyof typeof contenders;

/** What one answer did to the page. */
export type Showing = { renders: number; longestTask: number };

/** Shows one answer from its first delta to the last, and takes it off the page again. */
async function show(name: ContenderName, feed: FeedName, count: number): Promise<Showing> {
  const container = document.querySelector('#root')!.appendChild(document.createElement('div'));
  const root = createRoot(container);
  let renders = 0;
  let longestTask = 0;
  const observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) longestTask = Math.max(longestTask, duration);
  });
  observer.observe({ type: 'longtask' });
  const rendered = (): void => void (renders += 1);
  root.render(createElement<ContenderProps>(contenders[name], { feed: feeds[feed], count, rendered }));

  const whole = deltaText.repeat(count);
  await new Promise<void>((resolve, reject) => {
    const deadline = performance.now() + 60_000;
    const look = (): void => {
      const text = container.textContent;
      // the length first: comparing the whole text at every frame would be part of what is measured
      if (text.length === whole.length && text === whole) return resolve();
      if (performance.now() < deadline) return void requestAnimationFrame(look);
      reject(new Error(`${name} showed ${text.length} characters of ${whole.length} in a minute.`));
    };
    requestAnimationFrame(look);
  });
  // the frame after the last render, and time for the observer to hear of it
  await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 20)));
  observer.disconnect();
  root.unmount();
  container.remove();
  return { renders, longestTask };
}

declare global {
  interface Window {
    show: typeof show;
  }
}
window.show = show;
