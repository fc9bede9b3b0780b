import { expect, test } from 'vitest';
import { ask, chatBody, eventsOf, stream } from '../send-request.ts';
import type { Tried } from '../served-app.ts';
import { openWire, post } from '../wire.ts';

const streamed = { ...chatBody, stream: true };

/** Bytes are forwarded as they arrive, no faster than they are read, and stop when the reader disconnects. */
export function checkStreams(tried: Tried): void {
  /** How soon the provider must notice that the reader has disconnected, in milliseconds. */
  async function closesAfter(leave: () => void): Promise<number> {
    const [seen] = tried.upstream.seen;
    const at = performance.now();
    leave();
    await expect.poll(() => seen!.closedAt, { interval: 5, timeout: 3_000 }).toBeDefined();
    return seen!.closedAt! - at;
  }

  test('each event arrives as soon as it is written', async () => {
    const steps: (() => void)[] = [];
    tried.upstream.answer((response) => {
      const write = stream(response);
      write('one');
      steps.push(
        () => write('two'),
        () => response.end('data: three\n\n'),
      );
    });
    await eventsOf(tried);
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
    // some runtimes abort a request's signal when all went well
    await expect
      .poll(async () => (await eventsOf(tried)).filter(({ type }) => type === 'end'))
      .toMatchObject([{ outcome: 'done' }]);
  });

  test('the connection to the provider closes within 200 ms when the caller disconnects', async () => {
    const took: number[] = [];
    for (let count = 0; count < 5; count += 1) {
      tried.upstream.answer((response) => {
        const write = stream(response);
        // a model writes a few words at a time; workerd sees a closed connection when it next writes to it
        const timer = setInterval(() => write('more'), 20);
        response.on('close', () => clearInterval(timer));
      });
      const caller = new AbortController();
      const response = await ask(tried, { body: streamed, signal: caller.signal });
      await response.body!.getReader().read();
      took.push(await closesAfter(() => caller.abort()));
    }
    const best = Math.min(...took);
    process.stderr.write(`${tried.name}: an abort reaches the provider in ${best.toFixed(1)} ms\n`);
    expect(best).toBeLessThan(200);
  });

  test.each(['before the answer', 'in its middle'])(
    "the connection to the provider closes when the caller's connection breaks %s",
    async (when) => {
      const took: number[] = [];
      const body = JSON.stringify(streamed);
      for (let count = 0; count < 5; count += 1) {
        tried.upstream.answer((response) => {
          if (when === 'in its middle') stream(response)('one');
        });
        const wire = await openWire(tried);
        wire.write(post('/normal/openai/chat/completions', `content-length: ${body.length}\r\n`, body));
        if (when === 'in its middle') await wire.until(/data: one\n\n/);
        else await expect.poll(() => tried.upstream.seen.length, { interval: 5 }).toBe(1);
        took.push(await closesAfter(() => wire.reset()));
      }
      expect(Math.min(...took)).toBeLessThan(200);
    },
  );

  test('the connection to the provider closes after a time limit if the caller disconnects unnoticed', async () => {
    tried.upstream.answer((response) => stream(response)('one'));
    const caller = new AbortController();
    const response = await ask(tried, { at: 'short', body: streamed, signal: caller.signal });
    await response.body!.getReader().read();
    expect(await closesAfter(() => caller.abort())).toBeLessThan(1_500);
  });

  test('the provider is not read faster than the caller reads', async () => {
    let written = 0;
    let stopped = false;
    const event = `data: ${'x'.repeat(60_000)}\n\n`;
    tried.upstream.answer((response) => {
      stream(response);
      const write = (): void => {
        stopped = false;
        while (written < 300_000_000 && !response.destroyed) {
          written += event.length;
          if (!response.write(event)) {
            stopped = true;
            return;
          }
        }
      };
      response.on('drain', write);
      write();
    });
    const caller = new AbortController();
    const response = await ask(tried, { body: streamed, signal: caller.signal });
    await response.body!.getReader().read();
    // until the pipes between are full
    let before = -1;
    await expect
      .poll(
        () => {
          const still = written === before;
          before = written;
          return still && stopped;
        },
        { interval: 200, timeout: 8_000 },
      )
      .toBe(true);
    // most of it is in the sockets of this machine, which take up to 6 MB at each end
    expect(written).toBeLessThan(40_000_000);
    caller.abort();
  }, 15_000);

  test.each<[string, string, RegExp, (write: (data: unknown) => boolean, end: () => void) => void]>([
    ['stops sending', 'short', /"code":"idle"/, () => {}],
    ['closes the connection', 'normal', /"code":"broken"/, (_write, end) => end()],
    [
      'sends too much',
      'small',
      /"code":"too_large"/,
      (write) => {
        for (let count = 0; count < 8; count += 1) write('x'.repeat(500));
      },
    ],
    ['sends too much at once', 'small', /"code":"event_too_large"/, (write) => write('x'.repeat(1_500))],
  ])('a provider that %s in the middle causes one last error event', async (_what, at, last, then) => {
    let goOn = (): void => {};
    tried.upstream.answer((response) => {
      const write = stream(response);
      write('one');
      goOn = () => then(write, () => response.destroy());
    });
    let text = '';
    for await (const piece of (await ask(tried, { at, body: streamed })).body!.pipeThrough(
      new TextDecoderStream(),
    )) {
      // only once the first event is here, so that a busy machine does not deliver both in one piece
      if (text === '') goOn();
      text += piece;
    }
    expect(text.startsWith('data: one\n\n')).toBe(true);
    expect(text.split('\n\n').at(-2)).toMatch(/^event: proxy-error\ndata: /);
    expect(text).toMatch(last);
  });
}
