import { expect, test } from 'vitest';
import { ask, chatBody, eventsOf, stream } from '../ask.ts';
import type { Tried } from '../conformance.ts';

const streamed = { ...chatBody, stream: true };

/** Bytes pass as they come, no faster than they are read, and stop when nobody reads. */
export function checkStreams(tried: Tried): void {
  test('each event comes as soon as it was written', async () => {
    const steps: (() => void)[] = [];
    tried.upstream.answer((response) => {
      const write = stream(response);
      write('one');
      steps.push(
        () => write('two'),
        () => response.end('data: three\n\n'),
      );
    });
    const response = await ask(tried, { body: streamed, headers: { 'accept-encoding': 'gzip, br' } });
    // what is packed comes in blocks
    expect([response.status, response.headers.get('content-encoding')]).toEqual([200, null]);
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader.read()).value).toBe('data: one\n\n');
    steps[0]!();
    expect((await reader.read()).value).toBe('data: two\n\n');
    steps[1]!();
    expect((await reader.read()).value).toBe('data: three\n\n');
    expect((await reader.read()).done).toBe(true);
    await expect
      .poll(async () => (await eventsOf(tried)).filter(({ type }) => type === 'end'))
      .toMatchObject([{ outcome: 'done' }]);
  });

  test('a caller who goes away in the middle is gone for the provider in 200 ms', async () => {
    const took: number[] = [];
    for (let count = 0; count < 5; count += 1) {
      tried.upstream.answer((response) => stream(response)('one'));
      const caller = new AbortController();
      const response = await ask(tried, { body: streamed, signal: caller.signal });
      await response.body!.getReader().read();
      const at = performance.now();
      caller.abort();
      const [seen] = tried.upstream.seen;
      await expect.poll(() => seen!.closedAt, { interval: 5, timeout: 5_000 }).toBeDefined();
      took.push(seen!.closedAt! - at);
    }
    const best = Math.min(...took);
    process.stderr.write(`${tried.name}: an abort reaches the provider in ${best.toFixed(1)} ms\n`);
    expect(best).toBeLessThan(200);
  });
}
