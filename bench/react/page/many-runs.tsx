import { definePrompt } from '@cueline/core';
import { createRunRegistry, PromptProvider, usePrompt } from '@cueline/react';
import { useEffect, type ReactElement } from 'react';
import { createRoot } from 'react-dom/client';
import { textPieces } from './answers.ts';
import { feedExecutor } from './feed-executor.ts';
import { feeds } from './feeds.ts';

/** How the runs follow each other: started again in one component, or each with its own id in a registry. */
export type Succession = 'one hook' | 'ids';

const answer = definePrompt('answer', () => {});
const executor = feedExecutor({
  kind: 'text',
  feed: feeds.macrotask,
  pieces: textPieces(1_000),
  earlier: [],
});
const registry = createRunRegistry({ maxKept: 10 });
let root: ReturnType<typeof createRoot> | undefined;

function Answer({ id, number, done }: { id?: string; number: number; done: () => void }): ReactElement {
  const { start, text } = usePrompt(answer, { id, executor, onDone: done });
  useEffect(() => void start(undefined, { key: `run ${number}` }), [start, number]);
  return <p>{text}</p>;
}

/** Makes the runs with these numbers one after the other. The next call continues on the same page. */
export async function runMany(succession: Succession, from: number, to: number): Promise<void> {
  root ??= createRoot(document.querySelector('#root')!);
  for (let number = from; number <= to; number++) {
    await new Promise<void>((done) => {
      const isOne = succession === 'one hook';
      root!.render(
        <PromptProvider registry={registry}>
          <Answer {...(isOne ? {} : { key: number, id: `run ${number}` })} number={number} done={done} />
        </PromptProvider>,
      );
    });
  }
  // timers of a run, such as the scheduler's check of a hidden page, have ended by then
  await new Promise((resolve) => setTimeout(resolve, 500));
}
