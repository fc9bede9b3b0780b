import type { ProxyEvent } from '@cueline/edge';
import { describe, expect, onTestFinished, test } from 'vitest';
import { as, ask, chatBody, eventsOf, newSubject, stream } from '../send-request.ts';
import type { Tried } from '../served-app.ts';
import { openWire, post } from '../wire.ts';

const streamed = { ...chatBody, stream: true, max_completion_tokens: 100 };
const usage = { choices: [], usage: { prompt_tokens: 5, completion_tokens: 7 } };

/** Every call is paid for before it is made, and settled however it ends. */
export function checkLimits(tried: Tried): void {
  /** The most that a call may cost, as it is reserved. */
  async function reserved(): Promise<number> {
    await eventsOf(tried);
    tried.upstream.answer((response) => {
      stream(response)(usage);
      response.end();
    });
    await (await ask(tried, { body: streamed, headers: as(newSubject()) })).text();
    const call = (await eventsOf(tried)).find((event) => event.type === 'call');
    return call!.reserved;
  }

  /** The ends of a subject's calls since the last time that events were read. */
  async function endsOf(subject: string): Promise<ProxyEvent[]> {
    return (await eventsOf(tried)).filter((event) => event.type === 'end' && event.subject === subject);
  }

  test('a budget is reserved, and released except for the cost of the call', async () => {
    // for one call, and what two of them really cost
    const headers = as(`${newSubject()}/${(await reserved()) + 24}`);
    const ends: (() => void)[] = [];
    tried.upstream.answer((response) => {
      const write = stream(response);
      write('one');
      ends.push(() => {
        write(usage);
        response.end('data: [DONE]\n\n');
      });
    });
    const statuses: number[] = [];
    const call = async (): Promise<Response> => {
      const response = await ask(tried, { body: streamed, headers });
      statuses.push(response.status);
      return response;
    };
    for (const count of [0, 1, 2]) {
      const response = await call();
      // what this one may cost leaves too little for another
      await call();
      ends[count]!();
      await response.text();
    }
    await call();
    expect(statuses).toEqual([200, 402, 200, 402, 200, 402, 402]);
    expect(tried.upstream.seen.length).toBe(3);
  });

  test.each(['single', 'remote'])('a call whose caller disconnects is settled (%s)', async (at) => {
    const subject = newSubject();
    const headers = as(subject);
    await eventsOf(tried);
    tried.upstream.answer((response) => {
      const write = stream(response);
      const timer = setInterval(() => write('more'), 20);
      response.on('close', () => clearInterval(timer));
    });
    const caller = new AbortController();
    onTestFinished(() => caller.abort());
    const first = await ask(tried, { at, body: streamed, headers, signal: caller.signal });
    await first.body!.getReader().read();
    expect((await ask(tried, { at, body: streamed, headers })).status).toBe(429);
    caller.abort();
    await expect.poll(() => endsOf(subject)).toMatchObject([{ outcome: 'aborted', status: 200 }]);
    if (at === 'remote') {
      const limits = tried.upstream.limits.filter((call) => call.endsWith(`/${subject}`));
      expect(limits).toEqual([`reserve/${subject}`, `reserve/${subject}`, `settle/${subject}`]);
    }
    // its slot is free again, and what it may have cost is spent
    tried.upstream.answer((response) => {
      stream(response)(usage);
      response.end();
    });
    const next = await ask(tried, { at, body: streamed, headers });
    expect(next.status).toBe(200);
    await next.text();
  });

  describe('before the first output of the provider', () => {
    test.each(['single', 'remote'])('a call whose caller disconnects is settled (%s)', async (at) => {
      await eventsOf(tried);
      tried.upstream.answer(() => {});
      const body = JSON.stringify(chatBody);
      const wire = await openWire(tried);
      const subject = newSubject();
      wire.write(post(`/${at}/openai/chat/completions`, `content-length: ${body.length}\r\n`, body, subject));
      await expect.poll(() => tried.upstream.seen.length).toBe(1);
      wire.reset();
      await expect.poll(() => tried.upstream.seen[0]!.closedAt).toBeDefined();
      await expect.poll(() => endsOf(subject)).toMatchObject([{ outcome: 'client_closed' }]);
    });
  });
}
