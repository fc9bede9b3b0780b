import type { EditReply, RunRequest, TaskEdit } from '@cueline/core';
import type { PromptRouteLimits } from '@cueline/edge';
import { expect, test, vi } from 'vitest';
import { idOf, never, readTo } from '../route/routes.ts';
import { clientOf, instancesWith, type Instance, type InstanceOptions } from './instances.ts';
import { describeWithRedis } from './server.ts';

/** A subject that has used nothing, not even in an earlier attempt of the same test. */
const newSubject = (): string => crypto.randomUUID();

/** What `instance.ts` says that a call of its prompt `spend` has used. */
const TOKENS_PER_CALL = 1_000;

// processes start slowly on a machine that has other things to do
vi.setConfig({ testTimeout: 60_000 });

const post = (instance: Instance, subject: string, prompt: string): Promise<Response> =>
  fetch(instance.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${subject}` },
    body: JSON.stringify({ prompt }),
  });

/** The outcome of a run with one call: `done`, or the reason why it made none. */
async function outcomeOf(instance: Instance, subject: string): Promise<string> {
  const text = await (await post(instance, subject, 'spend')).text();
  const codes = ['total_exceeded', 'totalDailyTokens', 'totalDailyCost', 'dailyTokens', 'budget_exceeded'];
  if (text.includes('"outcome":"done"')) return 'done';
  return codes.find((code) => text.includes(`"${code}"`)) ?? text;
}

describeWithRedis('two instances that count in one Redis', (redis) => {
  const start = instancesWith(redis);
  const two = (options: InstanceOptions): Promise<[Instance, Instance]> =>
    Promise.all([start(options), start(options)]);

  test.each<[string, Partial<PromptRouteLimits>]>([
    ['totalDailyTokens', { totalDailyTokens: 20_000 }],
    // a dollar for a million tokens
    ['totalDailyCost', { totalDailyCost: 0.02 }],
  ])(
    '%s: all subjects of both instances together stay within the limit, and can use most of it',
    async (limit, total) => {
      await (await redis.connect()).flushAll();
      const instances = await two({ limits: { ...total, maxOutputTokens: 500, concurrent: 50, rpm: 500 } });
      const outcomes: string[] = [];
      // a wave at a time: what the first has reserved and not used, the next may have
      for (let wave = 0; wave < 4; wave += 1) {
        const started = Array.from({ length: 30 }, (_item, at) =>
          outcomeOf(instances[at % 2]!, `subject-${wave}-${at}`),
        );
        outcomes.push(...(await Promise.all(started)));
      }
      // then one at a time, more than the limit allows: the last wave may have left room for a call or two
      for (let at = 0; at < 6; at += 1) outcomes.push(await outcomeOf(instances[at % 2]!, `newcomer-${at}`));
      const used = outcomes.filter((outcome) => outcome === 'done').length * TOKENS_PER_CALL;
      expect(used).toBeLessThanOrEqual(20_000);
      expect(used).toBeGreaterThan(15_000);
      const refused = outcomes.filter((outcome) => outcome !== 'done');
      expect(refused.filter((why) => why !== 'total_exceeded' && why !== limit)).toEqual([]);
    },
  );

  test('a subject gets no larger budget by using both instances', async () => {
    const subject = newSubject();
    const instances = await two({ limits: { dailyTokens: 10_000, maxOutputTokens: 500, concurrent: 50 } });
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, at) => outcomeOf(instances[at % 2]!, subject)),
    );
    const used = outcomes.filter((outcome) => outcome === 'done').length * TOKENS_PER_CALL;
    expect(used).toBeGreaterThan(0);
    expect(used).toBeLessThanOrEqual(10_000);
  });

  test('reservations of a crashed instance are released at the other', async () => {
    await (await redis.connect()).flushAll();
    const limits = { totalDailyTokens: 25_000, maxOutputTokens: 16_000 };
    const [a, b] = await two({ limits });
    const { body } = await post(a, 'ada', 'tell');
    const reader = body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!text.includes('text-delta')) text += (await reader.read()).value;
    await a.kill();
    await reader.cancel().catch(() => {});
    // 17,000 of 25,000 are reserved, and shorter answers still fit into the rest
    const outcomes: string[] = [];
    for (let at = 0; at < 12; at += 1) outcomes.push(await outcomeOf(b, `subject-${at}`));
    const done = outcomes.filter((outcome) => outcome === 'done');
    expect(done.length).toBeGreaterThan(0);
    expect(done.length).toBeLessThan(9);
    expect(outcomes.slice(done.length)).not.toContain('done');
  });

  test('a stopped run keeps its reservation at both instances until its tool has ended', async () => {
    const [a, b] = await two({ limits: { concurrent: 1, rpm: 1_000, quietMs: 60_000 } });
    const subject = newSubject();
    const run = clientOf(subject, a);
    const request: RunRequest = { definition: { name: 'deaf' } as never, input: undefined };
    const seen = await readTo(run.start(request, never()), 'tool-start');
    const stopped = await fetch(`${b.url}?run=${idOf(seen)}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${subject}` },
    });
    expect(stopped.status).toBe(204);
    await readTo(run.attach(idOf(seen), -1, never()), 'run-end');
    const statusOf = async (instance: Instance): Promise<number> => {
      const response = await post(instance, subject, 'spend');
      await response.text();
      return response.status;
    };
    expect([await statusOf(a), await statusOf(b)]).toEqual([429, 429]);
    await (await redis.connect()).lPush('work-done', 'yes');
    await expect.poll(() => statusOf(b), { timeout: 20_000 }).toBe(200);
  });

  test('the permissions of a client are the same at every instance', async () => {
    const [a, b] = await two({ edits: ['add'] });
    const subject = newSubject();
    const runs = [clientOf(subject, a), clientOf(subject, b)] as const;
    const request = (name: string): RunRequest => ({ definition: { name } as never, input: undefined });
    const listed = await readTo(runs[0].start(request('tasks'), never()), 'text-delta');
    const edits: TaskEdit[] = [
      { type: 'add', title: 'Mine' },
      { type: 'skip', taskId: 'task-2' },
      { type: 'resolve', taskId: 'task-1', result: 'good' },
    ];
    for (const run of runs) {
      const replies: EditReply[] = [];
      for (const edit of edits) replies.push(await run.send(idOf(listed), { type: 'edit', edit }));
      expect(replies.map(({ accepted }) => accepted)).toEqual([true, false, false]);
    }
    // approvals are yes or no unless the route says otherwise
    for (const run of runs) {
      const asked = await readTo(runs[0].start(request('send'), never()), 'approval-request');
      const open = asked.at(-1);
      if (open?.type !== 'approval-request') throw new Error('Nothing is asked.');
      const { approvalId } = open;
      const answer = { approved: true, input: { to: 'Eve' } };
      const edited = await run.send(idOf(asked), { type: 'approval-response', approvalId, response: answer });
      expect(edited).toMatchObject({ accepted: false });
      const plain = { type: 'approval-response', approvalId, response: { approved: true } } as const;
      expect(await run.send(idOf(asked), plain)).toEqual({ accepted: true });
    }
  });
});
