import { describe, expect, test } from 'vitest';
import { address, ask, endless, post, refusal, slowly, testRoute } from '../routes.ts';

const patient = { timeout: 10_000 };

/** Takes about 27 KB in four copies of what is parsed. */
const heavy = { input: {}, tasks: [], messages: [user(Array.from({ length: 100 }, () => ({})))] };
/** Takes about 10 KB. */
const light = { input: {}, messages: [user([])] };

function user(metadata: unknown) {
  return { id: 'm', role: 'user', parts: [{ type: 'text', text: 'Hi' }], metadata };
}

describe('memory for what clients send', () => {
  test('is reserved until the run has ended, and the largest requests are refused first', async () => {
    const hub = testRoute([endless, endless, 'Hi.'], { limits: { memoryBytes: 70_000 } });
    const first = await hub.route(post(heavy));
    expect(first.status).toBe(200);
    const bob = { authorization: 'Bearer bob' };
    const second = await hub.route(post(heavy, '', bob));
    expect(second.headers.get('retry-after')).toBe('1');
    expect(await refusal(second)).toMatchObject({ status: 503, code: 'unavailable' });
    const small = await hub.route(post(light, '', bob));
    expect(small.status).toBe(200);
    // the client goes away, and its run goes on
    await first.body?.cancel();
    expect((await hub.route(post(heavy, '', bob))).status).toBe(503);
    await hub.route(ask('DELETE', `?run=${first.headers.get('x-cueline-run')}`));
    const again = async () => (await hub.route(post(heavy))).status;
    await expect.poll(again, patient).toBe(200);
    await hub.route(ask('DELETE', `?run=${small.headers.get('x-cueline-run')}`, bob));
    await small.text();
  }, 20_000);

  test('is released by refused requests', async () => {
    const hub = testRoute(['Hi.'], { limits: { memoryBytes: 70_000 } });
    for (let time = 0; time < 10; time += 1) {
      expect((await hub.route(post({ ...heavy, messages: 'none' }))).status).toBe(400);
      expect((await hub.route(post({ ...heavy, model: 'mine' }))).status).toBe(400);
    }
    expect((await hub.route(post(heavy))).status).toBe(200);
  });

  test('beyond the limit of any request is a 413', async () => {
    const hub = testRoute(['Never.'], { limits: { memoryBytes: 40_000 } });
    expect(await refusal(await hub.route(post(heavy)))).toMatchObject({ status: 413, code: 'too_large' });
    expect(hub.model.calls).toHaveLength(0);
  });

  test('is reserved by a chat as long as its answer is read', async () => {
    const hub = testRoute(['Hi.', 'Hi.'], { limits: { memoryBytes: 80_000 } });
    const chat = (id: string) => ({ id, trigger: 'submit-message', messages: heavy.messages });
    const answer = await hub.route(post(chat('one')));
    await expect.poll(() => hub.events.filter(({ type }) => type === 'run-end').length, patient).toBe(1);
    // it is there to be read, with what it answers
    expect(await refusal(await hub.route(post(chat('two'))))).toMatchObject({
      status: 429,
      code: 'too_many_at_once',
    });
    await answer.text();
    expect((await hub.route(post(chat('two')))).status).toBe(200);
  });

  test('is reserved by a chat that is read again from its beginning', async () => {
    const hub = testRoute(['Hi.'], { limits: { memoryBytes: 80_000 } });
    const answer = await hub.route(post({ id: 'one', trigger: 'submit-message', messages: heavy.messages }));
    await answer.text();
    const again = () => hub.route(new Request(`${address}/one/stream`, ask('GET')));
    const answers = await Promise.all(Array.from({ length: 8 }, again));
    expect(answers.map(({ status }) => status)).toEqual(expect.arrayContaining([200, 429]));
    // data without a reader uses no memory
    for (const { body } of answers) await body?.cancel();
    expect(await (await again()).text()).toContain('"type":"finish"');
  });

  test('is reserved by commands until they are answered', async () => {
    const hub = testRoute([endless], {
      limits: { memoryBytes: 1 << 20 },
      edits: () => new Promise(() => {}),
    });
    const started = await hub.route(post({ input: {} }));
    const query = `?run=${started.headers.get('x-cueline-run')}`;
    const edit = { type: 'add', title: 'x', more: Array.from({ length: 100_000 }, () => ({})) };
    expect(await refusal(await hub.route(post({ type: 'edit', edit }, query)))).toMatchObject({
      status: 413,
      code: 'too_large',
    });
    await hub.route(ask('DELETE', query));
    await started.text();
  });

  test('is left for other subjects, however many large unread chats some subjects have', async () => {
    const hub = testRoute(
      Array.from({ length: 100 }, () => 'Hi.'),
      { limits: { memoryBytes: 1_000_000, concurrent: 100, rpm: 1_000, streams: 100 } },
    );
    const send = async (subject: string, id: string): Promise<number> => {
      const chat = { id, trigger: 'submit-message', messages: heavy.messages };
      const response = await hub.route(post(chat, '', { authorization: `Bearer ${subject}` }));
      if (subject === 'newcomer') await response.text();
      return response.status;
    };
    const statuses = new Set<number>();
    for (const attacker of ['eve', 'mallory', 'trudy']) {
      for (let at = 0; at < 40; at += 1) statuses.add(await send(attacker, `${attacker}-${at}`));
      expect(await send('newcomer', `after-${attacker}`)).toBe(200);
    }
    expect(statuses).toEqual(new Set([200, 429]));
  });

  test('memory for the messages of a chat stays reserved as long as their answer is read', async () => {
    const long = slowly('x'.repeat(400), 0);
    const hub = testRoute([long, long, 'Hi.'], { limits: { memoryBytes: 150_000 } });
    const chat = (id: string) => ({ id, trigger: 'submit-message', messages: light.messages });
    const answer = await hub.route(post(chat('one')));
    await expect.poll(() => hub.events.filter(({ type }) => type === 'run-end').length, patient).toBe(1);
    const refused = async () => {
      const response = await hub.route(post(chat('two')));
      await response.body?.cancel();
      return response.status;
    };
    await expect.poll(refused, patient).toBe(429);
    await answer.text();
    expect((await hub.route(post(chat('three')))).status).toBe(200);
  });
});
