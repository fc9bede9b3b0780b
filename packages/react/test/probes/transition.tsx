import { definePrompt } from '@cueline/core';
import { usePrompt } from '@cueline/react';
import { memo, startTransition, useEffect, useState, type ReactElement } from 'react';
import { manualExecutor, type ManualExecutor } from '../support/executors.ts';
import { openStage, until } from './page-root.ts';

const ITEMS = 100;
const ITEM_MS = 3;
const ROUNDS = 5;
const ATTEMPTS = 4;
/** Within this of its time without a stream. */
const WANTED = 1.1;

/** How often an element was rendered for a transition. */
let itemRenders = 0;

/** An element of a tree that takes 300 ms to render. */
const Slow = memo(function Slow({ version }: { version: number }): ReactElement {
  if (version > 0) keepBusy(ITEM_MS);
  return <i>{version}</i>;
});

function keepBusy(milliseconds: number): void {
  itemRenders += 1;
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

const answer = definePrompt('answer', () => {});

type PageProps = {
  executor: ManualExecutor;
  ready: (begin: () => void) => void;
  shown: () => void;
};

function Page({ executor, ready, shown }: PageProps): ReactElement {
  const { text, start } = usePrompt(answer, { executor });
  const [version, setVersion] = useState(0);
  useEffect(() => void start(undefined, { key: 'first' }), [start]);
  useEffect(() => ready(() => startTransition(() => setVersion((before) => before + 1))), [ready]);
  useEffect(() => {
    if (version > 0) shown();
  }, [shown, version]);
  return (
    <>
      <p id="text">{text}</p>
      {Array.from({ length: ITEMS }, (_, index) => (
        <Slow key={index} version={version} />
      ))}
    </>
  );
}

/**
 * How often each element is rendered for one transition, which is more than once where updates make it start over;
 * and how long a transition takes while 2,000 deltas a second come, and while none do, in turns: the medians. A
 * machine that does something else as well is given a few attempts, of which the best counts.
 */
export async function transition(): Promise<{
  without: number;
  during: number;
  ratio: number;
  attempts: number;
  rendersPerItem: number;
}> {
  // without StrictMode, which would render the 300 ms twice
  const stage = openStage();
  const executor = manualExecutor();
  let transitions = 0;
  let begin = (): void => {};
  let finished = (): void => {};
  stage.show(
    <Page
      executor={executor}
      ready={(beginTransition) => (begin = beginTransition)}
      shown={() => finished()}
    />,
  );
  await until('a start', () => executor.requests.length === 1);

  const timed = async (): Promise<number> => {
    const from = performance.now();
    await new Promise<void>((resolve) => {
      finished = resolve;
      begin();
    });
    transitions += 1;
    return performance.now() - from;
  };
  const write = (): void => {
    for (let delta = 0; delta < 16; delta++) executor.write('word ');
  };
  const timedDuringStream = async (): Promise<number> => {
    const streaming = setInterval(write, 8);
    const before = stage.text('text')?.length ?? 0;
    await until('text', () => (stage.text('text')?.length ?? 0) > before);
    const time = await timed();
    clearInterval(streaming);
    return time;
  };

  itemRenders = 0;
  await timed();
  let best = { without: 0, during: 0, ratio: Number.POSITIVE_INFINITY, attempts: 0 };
  for (let attempts = 1; attempts <= ATTEMPTS && best.ratio > WANTED; attempts++) {
    const without: number[] = [];
    const during: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      without.push(await timed());
      during.push(await timedDuringStream());
    }
    const ratio = median(during) / median(without);
    const measured = { without: median(without), during: median(during), ratio };
    best = { ...(ratio < best.ratio ? measured : best), attempts };
  }
  executor.finish();
  stage.clear();
  return { ...best, rendersPerItem: itemRenders / (ITEMS * transitions) };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
