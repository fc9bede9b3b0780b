import { definePrompt, tool, type PromptTypes, type RunEvent } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import { usePrompt, type PromptRun, type UsePromptOptions } from '@cueline/react';
import { useLayoutEffect, type ReactElement } from 'react';
import { expect, test, vi } from 'vitest';
import * as z from 'zod';
import { manualExecutor } from './support/executors.ts';
import { greet, type Greeted } from './support/greeting.tsx';
import { mount, settle, type Mounted } from './support/mount.tsx';

function Greeting({ seen, ...options }: UsePromptOptions & { seen: (run: Greeted) => void }): ReactElement {
  const run = usePrompt(greet, options);
  useLayoutEffect(() => seen(run), [seen, run]);
  return <p data-testid="shown">{`${run.status}/${run.queued}: ${run.text}`}</p>;
}

/** A component that has been shown, with its run as of the last render. */
async function showGreeting(options: UsePromptOptions): Promise<{ page: Mounted; latest: () => Greeted }> {
  const seen = vi.fn<(run: Greeted) => void>();
  const page = mount(<Greeting {...options} seen={seen} />);
  await expect.poll(() => seen.mock.calls.length).toBeGreaterThan(0);
  return { page, latest: () => seen.mock.lastCall![0] };
}

const slow = (text: string): { text: string; delay: number }[] => [{ text, delay: 150 }];

test('a start replaces a running one', async () => {
  const executor = manualExecutor();
  const { page, latest } = await showGreeting({ executor });
  const first = latest().start({ name: 'Ada' });
  executor.write('Hello');
  await expect.poll(() => page.text('shown')).toBe('running/0: Hello');
  const second = latest().start({ name: 'Grace' });
  await expect(first).rejects.toMatchObject({ code: 'aborted' });
  executor.write('Hi.');
  executor.finish();
  await expect(second).resolves.toBe('Hi.');
  await expect.poll(() => page.text('shown')).toBe('done/0: Hi.');
  expect(executor.requests.map(({ input }) => input)).toEqual([{ name: 'Ada' }, { name: 'Grace' }]);
});

test('queue: each start waits for the one before, and onDone reports every end', async () => {
  const model = scriptedModel([slow('One.'), slow('Two.'), slow('Three.')]);
  const ends: unknown[] = [];
  const { page, latest } = await showGreeting({ model, onDone: ({ result }) => ends.push(result) });
  const results = ['Ada', 'Grace', 'Mary'].map((name) => latest().start({ name }, { whenBusy: 'queue' }));
  await expect.poll(() => page.text('shown')).toBe('running/2: ');
  expect(await Promise.all(results)).toEqual(['One.', 'Two.', 'Three.']);
  await expect.poll(() => page.text('shown')).toBe('done/0: Three.');
  expect(ends).toEqual(['One.', 'Two.', 'Three.']);
  expect(model.calls.map(({ prompt }) => prompt.at(-1)?.content)).toMatchObject([
    [{ text: 'Greet Ada.' }],
    [{ text: 'Greet Grace.' }],
    [{ text: 'Greet Mary.' }],
  ]);
});

test('reject: a second start fails as busy and changes nothing', async () => {
  const executor = manualExecutor();
  const onError = vi.fn<() => void>();
  const { page, latest } = await showGreeting({ executor, onError });
  const first = latest().start({ name: 'Ada' });
  executor.write('Hello.');
  await expect(latest().start({ name: 'Grace' }, { whenBusy: 'reject' })).rejects.toMatchObject({
    code: 'busy',
  });
  executor.finish();
  await expect(first).resolves.toBe('Hello.');
  await expect.poll(() => page.text('shown')).toBe('done/0: Hello.');
  expect(onError).not.toHaveBeenCalled();
  expect(executor.requests).toHaveLength(1);
});

test('parallel: the first continues in the background, and only its promise reports its end', async () => {
  const model = scriptedModel([slow('One.'), ['Two.']]);
  const ends: unknown[] = [];
  const { page, latest } = await showGreeting({ model, onDone: ({ result }) => ends.push(result) });
  const first = latest().start({ name: 'Ada' });
  await expect.poll(() => model.calls.length).toBe(1);
  const second = latest().start({ name: 'Grace' }, { whenBusy: 'parallel' });
  await expect(second).resolves.toBe('Two.');
  await expect(first).resolves.toBe('One.');
  await settle();
  expect(page.text('shown')).toBe('done/0: Two.');
  expect(ends).toEqual(['Two.']);
});

test('a signal stops its start or removes it from the queue', async () => {
  const executor = manualExecutor();
  const { page, latest } = await showGreeting({ executor });
  const [running, waiting] = [new AbortController(), new AbortController()];
  const first = latest().start({ name: 'Ada' }, { signal: running.signal });
  const second = latest().start({ name: 'Grace' }, { whenBusy: 'queue', signal: waiting.signal });
  await expect.poll(() => page.text('shown')).toBe('running/1: ');
  waiting.abort();
  await expect(second).rejects.toMatchObject({ code: 'aborted' });
  await expect.poll(() => page.text('shown')).toBe('running/0: ');
  running.abort();
  await expect(first).rejects.toMatchObject({ code: 'aborted' });
  await expect.poll(() => page.text('shown')).toBe('stopped/0: ');
  expect(executor.requests).toHaveLength(1);
});

test('retry after an error continues with the same input, and keeps complete steps', async () => {
  const look = vi.fn<(args: { city: string }) => string>(({ city }) => `Sunny in ${city}`);
  const plan = definePrompt(
    'plan',
    (prompt, input: { city: string }) => {
      prompt.$`Plan a day in ${input.city}.`;
    },
    { tools: [tool('look', 'Looks outside', z.object({ city: z.string() }), look)] },
  );
  const model = scriptedModel([
    [{ toolCall: { name: 'look', input: { city: 'Lisbon' } } }],
    [{ throw: { message: 'No money left', status: 402 } }],
    'Take the tram.',
  ]);
  const errors: string[] = [];
  let latest: Pick<PromptRun<{ city: string }>, 'start' | 'retry' | 'run'> | undefined;
  function Plan(): ReactElement {
    const run = usePrompt(plan, { model, onError: ({ code }) => errors.push(code) });
    useLayoutEffect(() => void (latest = run), [run]);
    return <p data-testid="shown">{`${run.status}: ${run.toolCalls.length} ${run.text}`}</p>;
  }
  const page = mount(<Plan />);
  await expect.poll(() => latest).toBeDefined();
  await latest?.start({ city: 'Lisbon' }).catch(() => {});
  await expect.poll(() => page.text('shown')).toBe('error: 1 ');
  const before = latest?.run.log().map(({ type }) => type);
  await expect(latest?.retry()).resolves.toBe('Take the tram.');
  await expect.poll(() => page.text('shown')).toBe('done: 1 Take the tram.');
  expect(look).toHaveBeenCalledOnce();
  expect(errors).toHaveLength(1);
  const types = latest?.run.log().map(({ type }) => type) ?? [];
  expect(types.slice(0, types.indexOf('run-resume'))).toEqual(before?.slice(0, types.indexOf('run-resume')));
  expect(types.filter((type) => type === 'run-end')).toHaveLength(1);
});

test('an error in the prompt function is the error of the run, and the next start works', async () => {
  let isBroken = true;
  const fragile = definePrompt('fragile', (prompt) => {
    if (isBroken) throw new TypeError('no city');
    prompt.$`Plan a day.`;
  });
  const model = scriptedModel(['Fine.']);
  let start: (() => Promise<string>) | undefined;
  function Plan(): ReactElement {
    const run = usePrompt(fragile, { model });
    useLayoutEffect(() => void (start = () => run.start()), [run]);
    return <p data-testid="shown">{run.status === 'error' ? run.error.message : run.text}</p>;
  }
  const page = mount(<Plan />);
  await expect.poll(() => start).toBeDefined();
  await expect(start?.()).rejects.toMatchObject({ code: 'script_error' });
  await expect.poll(() => page.text('shown')).toContain('no city');
  isBroken = false;
  await expect(start?.()).resolves.toBe('Fine.');
  await expect.poll(() => page.text('shown')).toBe('Fine.');
});

test('detach releases a run that continues, and attach shows its current state', async () => {
  const model = scriptedModel([[{ text: 'Hello, ' }, { text: 'Ada.', delay: 200 }]]);
  const events: RunEvent['type'][] = [];
  const { page, latest } = await showGreeting({ model, onEvent: ({ type }) => events.push(type) });
  void latest().start({ name: 'Ada' });
  await expect.poll(() => page.text('shown')).toBe('running/0: Hello, ');
  latest().run.detach();
  const heard = events.length;
  await settle(350);
  expect(page.text('shown')).toBe('running/0: Hello, ');
  expect(events).toHaveLength(heard);
  latest().run.attach();
  await expect.poll(() => page.text('shown')).toBe('done/0: Hello, Ada.');
  expect(events.slice(heard)).toEqual(['text-start', 'text-delta', 'text-end', 'step-end', 'run-end']);
  expect(model.calls).toHaveLength(1);
});

const answers = [
  { response: { approved: true }, sent: ['to Ada'], text: 'approved' },
  { response: { approved: true, input: { to: 'Grace' } }, sent: ['to Grace'], text: 'edited' },
  { response: { approved: false, reason: 'not today' }, sent: [], text: 'refused' },
] as const;

for (const { response: answer, sent, text } of answers) {
  test(`respond: a call that needs approval is ${text}`, async () => {
    const sends: string[] = [];
    const mail = definePrompt('mail', (prompt) => {
      prompt.defTool(
        'send',
        'Sends a mail',
        z.object({ to: z.string() }),
        ({ to }) => {
          sends.push(`to ${to}`);
          return `sent to ${to}`;
        },
        { needsApproval: true },
      );
      prompt.$`Write to Ada.`;
    });
    const model = scriptedModel([[{ toolCall: { name: 'send', input: { to: 'Ada' } } }], 'Done.']);
    let latest: PromptRun<void, PromptTypes> | undefined;
    function Mail(): ReactElement {
      const run = usePrompt(mail, { model });
      useLayoutEffect(() => void (latest = run), [run]);
      return <p data-testid="shown">{run.status}</p>;
    }
    const page = mount(<Mail />);
    await expect.poll(() => latest).toBeDefined();
    const done = latest?.start();
    await expect.poll(() => page.text('shown')).toBe('waiting');
    const [request] = latest?.approvals ?? [];
    expect(request).toMatchObject({ toolName: 'send', input: { to: 'Ada' } });
    expect(await latest?.respondToApproval('nobody', answer)).toMatchObject({ accepted: false });
    expect(await latest?.respondToApproval(request?.approvalId ?? '', answer)).toEqual({ accepted: true });
    await expect(done).resolves.toBe('Done.');
    expect(sends).toEqual(sent);
    await expect.poll(() => latest?.status).toBe('done');
    expect(latest?.approvals).toMatchObject([{ response: answer }]);
    expect(JSON.stringify(model.calls[1]?.prompt.at(-1)?.content)).toContain(
      answer.approved ? sent[0] : 'not today',
    );
  });
}

test('with an output schema, the object fills while it arrives, and the result is complete', async () => {
  const City = z.object({ name: z.string(), sights: z.array(z.string()) });
  const describeCity = definePrompt('city', (prompt) => prompt.$`Describe Lisbon.`, { output: City });
  const json = JSON.stringify({ name: 'Lisbon', sights: ['Belém', 'Alfama'] });
  const model = scriptedModel([[{ text: json, chunkSize: 8 }]], { delay: 25 });
  const objects: unknown[] = [];
  let latest: PromptRun<void, PromptTypes & { output: z.infer<typeof City> }> | undefined;
  function CityCard(): ReactElement {
    const run = usePrompt(describeCity, { model });
    useLayoutEffect(() => {
      latest = run as typeof latest;
      objects.push(run.object);
    }, [run]);
    return <p data-testid="shown">{run.status === 'done' ? run.result.sights.join() : run.object?.name}</p>;
  }
  const page = mount(<CityCard />);
  await expect.poll(() => latest).toBeDefined();
  await expect(latest?.start()).resolves.toEqual({ name: 'Lisbon', sights: ['Belém', 'Alfama'] });
  await expect.poll(() => page.text('shown')).toBe('Belém,Alfama');
  expect(objects[0]).toBeUndefined();
  expect(objects).toContainEqual(expect.objectContaining({ name: expect.stringMatching(/^Lisbon$|^Lis/) }));
  expect(objects.at(-1)).toEqual({ name: 'Lisbon', sights: ['Belém', 'Alfama'] });
});
