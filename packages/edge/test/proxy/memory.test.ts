import { describe, expect, test } from 'vitest';
import { ask, chatBody, chatStream, fixture, parts, refused, sse } from './support.ts';

/** Takes about 27 KB in four copies of what is parsed. */
const heavy = { ...chatBody, stop: Array.from({ length: 100 }, () => ({})) };
const auth = (request: Request) => ({ subject: request.headers.get('authorization') ?? '' });
const askAs = (subject: string, body: unknown = heavy): Request =>
  ask({ body, headers: { authorization: subject } });

describe('the memory for the bodies of calls', () => {
  test('is taken until the answer begins, and the largest bodies are refused first', async () => {
    let begin = (_answer: Response): void => {};
    const answers = [
      new Promise<Response>((resolve) => (begin = resolve)),
      chatStream(['Hi']),
      chatStream(['Hi']),
    ];
    const { proxy, sent } = fixture(() => answers.shift()!, { auth, limits: { memoryBytes: 70_000 } });
    const first = proxy(askAs('ada'));
    await expect.poll(() => sent.length).toBe(1);
    const second = await proxy(askAs('bob'));
    expect(second.headers.get('retry-after')).toBe('1');
    expect(await refused(second)).toEqual({ status: 503, code: 'unavailable' });
    expect((await proxy(askAs('bob', chatBody))).status).toBe(200);
    begin(new Response(parts([], 'hang'), sse));
    const { status, body } = await first;
    expect(status).toBe(200);
    // its answer is still open
    expect((await proxy(askAs('bob'))).status).toBe(200);
    await body?.cancel();
  });

  test('is released by calls that are refused or fail', async () => {
    const { proxy } = fixture(() => new Response('Oops.', { status: 500 }), {
      auth,
      limits: { memoryBytes: 70_000, rpm: 1_000, concurrent: 1_000 },
    });
    for (let time = 0; time < 10; time += 1) {
      expect((await proxy(askAs('ada', { ...heavy, model: 'other' }))).status).toBe(403);
      expect((await proxy(askAs('ada'))).status).toBe(500);
    }
  });

  test('cannot be enough for a body that would take half of it', async () => {
    const { proxy, sent } = fixture(undefined, { auth, limits: { memoryBytes: 40_000 } });
    expect(await refused(proxy(askAs('ada')))).toEqual({ status: 413, code: 'too_large' });
    expect(sent).toEqual([]);
  });
});
