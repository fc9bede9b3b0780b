import { definePrompt } from '@cueline/core';
import { usePrompt } from '@cueline/react';
import { useEffect, useState, useTransition, type ReactElement } from 'react';
import { expect, test } from 'vitest';
import { manualExecutor } from './support/executors.ts';
import { mount } from './support/mount.tsx';

const ITEMS = 100;
const ITEM_MS = 2;

/** An element of a tree that takes long to render. */
function Slow({ version }: { version: number }): ReactElement {
  if (version > 0) keepBusy(ITEM_MS);
  return <i>{version}</i>;
}

function keepBusy(milliseconds: number): void {
  const until = performance.now() + milliseconds;
  while (performance.now() < until);
}

const answer = definePrompt('answer', () => {});

type PageProps = { executor: ReturnType<typeof manualExecutor>; finished: (milliseconds: number) => void };

/** A stream, and beside it a transition that renders for 200 ms. */
function Page({ executor, finished }: PageProps): ReactElement {
  const { text, start } = usePrompt(answer, { executor });
  const [version, setVersion] = useState(0);
  const [, startTransition] = useTransition();
  const [from, setFrom] = useState(0);
  useEffect(() => void start(undefined, { key: 'first' }), [start]);
  useEffect(() => {
    if (version > 0) finished(performance.now() - from);
  }, [version, from, finished]);
  return (
    <>
      <button
        onClick={() => {
          setFrom(performance.now());
          startTransition(() => setVersion((before) => before + 1));
        }}
      >
        Begin
      </button>
      <p data-testid="text">{text}</p>
      {Array.from({ length: ITEMS }, (_, index) => (
        <Slow key={index} version={version} />
      ))}
    </>
  );
}

test('a stream does not delay a transition', async () => {
  const executor = manualExecutor();
  const times: number[] = [];
  const page = mount(<Page executor={executor} finished={(time) => times.push(time)} />);
  await expect.poll(() => executor.requests.length).toBe(1);
  const streaming = setInterval(() => executor.write('word '), 4);
  await expect.poll(() => page.text('text')?.length ?? 0).toBeGreaterThan(20);
  const before = page.text('text');
  document.querySelector('button')?.click();
  await expect.poll(() => times.length, { timeout: 10_000 }).toBe(1);
  // on a busy machine, the first text after the click may come with the end of the transition
  await expect.poll(() => page.text('text')).not.toBe(before);
  clearInterval(streaming);
  // a subscription that starts the transition over at each of its updates holds it up until React forces it, after 5 s
  expect(times[0]).toBeLessThan(4_000);
});
