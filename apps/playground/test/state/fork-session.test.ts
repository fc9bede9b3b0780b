import { createRun, definePrompt, type Prompt, type RunEvent } from '@cueline/core';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { examples } from '../../src/examples/index.ts';
import { forkItems } from '../../src/forks/fork-item.ts';
import { useForks } from '../../src/forks/store.ts';
import { libraryOf } from '../../src/prompts/check-prompts.ts';
import { definitionOf } from '../../src/prompts/definition-of.ts';
import { samplePrompts, sampleValues } from '../../src/prompts/sample-prompts.ts';
import {
  answerOf,
  forkAt,
  forkEdited,
  forkProblem,
  stepOfAgent,
  stepAfter,
  stepsToRunFrom,
} from '../../src/state/fork-session.ts';
import { useInspection } from '../../src/state/inspection.ts';
import {
  openLinkedRun,
  reply,
  showLinkedRun,
  showSession,
  startPromptRun,
  startRun,
} from '../../src/state/run-session.ts';
import { usePlayground, type RunSession } from '../../src/state/store.ts';
import { page } from './in-process-page.ts';

vi.mock('../../src/sandbox/index.ts', () => import('./in-process-page.ts'));
vi.mock('../../src/model/create-model.ts', () => import('./in-process-page.ts'));
vi.mock('../../src/model/prompt-model.ts', () => import('./in-process-page.ts'));

const looked: string[] = [];
const look = (what: string): ScriptedTurn => [
  `I look ${what}.`,
  { toolCall: { name: 'look', input: { what }, id: `look-${what}` } },
];

const finish: ScriptedTurn = [{ toolCall: { name: 'finishTask', input: { result: 'ok' } } }];

function defLook(prompt: Prompt): void {
  prompt.defTool('look', 'Looks', z.object({ what: z.string() }), ({ what }) => {
    looked.push(what);
    return { what };
  });
}

function caves(greeting: string) {
  return definePrompt('caves', (prompt) => {
    prompt.defSystem('role', greeting);
    prompt.def('PLACE', 'the caves');
    defLook(prompt);
    prompt.$`Look around.`;
  });
}

const store = () => usePlayground.getState();
const shown = (): RunSession => store().session!;

/** Runs a script with these answers, until it has ended. */
async function run(turns: readonly ScriptedTurn[], script = 'caves') {
  const model = scriptedModel(turns);
  page.model = model;
  store().edit(script);
  startRun();
  const session = shown();
  await session.run.finished;
  return { session, model, log: session.run.log() };
}

/** Forks a run, and returns the fork once it has ended. */
async function forked(...at: Parameters<typeof forkAt>): Promise<RunSession> {
  forkAt(...at);
  const fork = shown();
  await fork.run.finished;
  return fork;
}

/** Forks a run with an edit, and returns the fork once it has ended. */
async function edited(...edit: Parameters<typeof forkEdited>): Promise<RunSession> {
  forkEdited(...edit);
  const fork = shown();
  await fork.run.finished;
  return fork;
}

const text = (events: readonly RunEvent[]): string => JSON.stringify(events);
const upToStep = (log: readonly RunEvent[], step: number): readonly RunEvent[] =>
  log.slice(
    0,
    log.findIndex((event) => event.type === 'step-start' && event.step === step),
  );

beforeEach(() => {
  usePlayground.setState(usePlayground.getInitialState(), true);
  useForks.setState({ kept: [] });
  looked.length = 0;
  page.plays.length = 0;
  page.prompts.set('caves', caves('You explore.') as never);
  page.prompts.set('caves, edited', caves('You sing.') as never);
});

describe('a fork', () => {
  test('keeps the earlier steps byte for byte, and calls the model only for the rest', async () => {
    const { session, model, log } = await run([
      look('left'),
      look('right'),
      'Nothing.',
      look('up'),
      'Light!',
    ]);
    const before = text(log);
    expect(stepsToRunFrom(session, 0)).toEqual([0, 1, 2]);
    forkAt(session, 0, { step: 1 });
    const fork = shown();
    expect(fork.parent).toEqual({ id: session.id, turn: 0, step: 1 });
    await fork.run.finished;
    const kept = upToStep(log, 1);
    expect(text(fork.run.log().slice(0, kept.length))).toBe(text(kept));
    expect(fork.run.log()[kept.length]?.type).toBe('run-resume');
    expect(model.calls).toHaveLength(5);
    expect(JSON.stringify(model.calls[3]?.prompt)).toBe(JSON.stringify(model.calls[1]?.prompt));
    expect(looked).toEqual(['left', 'right', 'up']);
    expect(fork.run.getState()).toMatchObject({
      status: 'done',
      text: 'Light!',
      variables: { PLACE: { value: 'the caves' } },
    });
    expect(fork.run.getState().steps.map(({ step }) => step)).toEqual([0, 1, 2]);
    expect(text(session.run.log())).toBe(before);
    expect(session.run.getState().text).toBe('Nothing.');
  });

  test('from the first step starts over', async () => {
    const { session, model } = await run([look('left'), 'Nothing.', 'At once.']);
    const fork = await forked(session, 0, { step: 0 });
    expect(fork.run.getState()).toMatchObject({ text: 'At once.', steps: [{ step: 0 }] });
    expect(fork.run.log().some(({ type }) => type === 'run-resume')).toBe(false);
    expect(JSON.stringify(model.calls[2]?.prompt)).toBe(JSON.stringify(model.calls[0]?.prompt));
  });

  test('can take the script in the editor', async () => {
    const { session, model } = await run([look('left'), 'Nothing.', 'La la.']);
    store().edit('caves, edited');
    const fork = await forked(session, 0, { step: 1, script: store().script });
    expect(fork.source).toEqual({ script: 'caves, edited' });
    expect(session.source).toEqual({ script: 'caves' });
    expect(JSON.stringify(model.calls[2]?.prompt)).toContain('You sing.');
    expect(looked).toEqual(['left']);
  });

  test('of an earlier turn has the turns before it, and not those after it', async () => {
    const { session } = await run([look('left'), 'One.', look('right'), 'Two.', 'Three.', 'Otherwise.']);
    reply('And right?');
    await shown().run.finished;
    reply('And up?');
    await shown().run.finished;
    const last = shown();
    expect(last.earlier).toHaveLength(2);
    const fork = await forked(last, 1, { step: 1 });
    expect(fork.earlier).toEqual(last.earlier.slice(0, 1));
    const { messages, text: answer } = fork.run.getState();
    expect(answer).toBe('Otherwise.');
    expect(JSON.stringify(messages)).toContain('And right?');
    expect(JSON.stringify(messages)).not.toContain('And up?');
    expect(looked).toEqual(['left', 'right']);
    expect(session.id).toBe(last.id);
  });

  test('of a run that is in progress stops it', async () => {
    page.model = scriptedModel([look('left'), [{ text: 'Well' }, { delay: 60_000 }], 'Done.']);
    store().edit('caves');
    startRun();
    const first = shown();
    await expect.poll(() => first.run.getState().steps).toHaveLength(2);
    const fork = await forked(first, 0, { step: 1 });
    await first.run.finished;
    expect(first.run.getState().status).toBe('stopped');
    expect(fork.run.getState()).toMatchObject({ status: 'done', text: 'Done.' });
  });

  test('of a shared run continues with the model of this page', async () => {
    const { log } = await run([look('left'), 'Nothing.', 'Mine.']);
    const linked = openLinkedRun(log);
    showLinkedRun({ script: 'caves' }, linked);
    expect(forkProblem(shown())).toBeUndefined();
    const fork = await forked(shown(), 0, { step: 1 });
    expect(fork).toMatchObject({ shared: false });
    expect(fork.run.getState().text).toBe('Mine.');
  });

  test('of a shared run of a prompt file continues if the link has the version that ran', async () => {
    const [prompt] = samplePrompts;
    const shared = { prompts: samplePrompts, selected: 1, values: {} };
    const model = scriptedModel(['First.', 'Mine.']);
    page.model = model;
    const { library } = libraryOf(prompt!)!;
    const definition = library.definePrompt(`${prompt!.id}@${prompt!.version}`);
    const ran = createRun(definition, { model });
    await ran.start(sampleValues[prompt!.id] as never);
    const log = ran.log();
    usePlayground.setState({ view: 'prompts' });
    showLinkedRun({ prompts: shared }, openLinkedRun(log, definitionOf(shared, log)));
    const session = store().promptSession!;
    expect(forkProblem(session)).toBeUndefined();
    forkAt(session, 0, { step: 0 });
    const fork = store().promptSession!;
    await expect.poll(() => fork.run.getState()).toMatchObject({ status: 'done', text: 'Mine.' });
    expect(fork).toMatchObject({ shared: false, source: { prompts: shared } });
    expect(JSON.stringify(model.calls[1]?.prompt)).toBe(JSON.stringify(model.calls[0]?.prompt));

    const edited = { ...shared, prompts: [{ ...prompt!, userPrompt: 'Something else.' }] };
    for (const other of [{}, edited, { ...shared, prompts: [samplePrompts[1]!] }]) {
      expect(definitionOf(other, log)).toBeUndefined();
      showLinkedRun({ prompts: other }, openLinkedRun(log, definitionOf(other, log)));
      expect(forkProblem(store().promptSession!)).toMatch(/version of the prompt that ran/);
      expect(stepsToRunFrom(store().promptSession!, 0)).toEqual([]);
    }
  });

  test('of a step after feedback to the model keeps the feedback', async () => {
    page.prompts.set(
      'nudged',
      definePrompt('nudged', (prompt) => {
        prompt.defTaskList([{ task: 'One' }]);
        prompt.$`Go.`;
      }) as never,
    );
    const turns = ['Well.', finish, 'Done.', finish, 'Done again.'];
    const { session, model } = await run(turns, 'nudged');
    expect(stepsToRunFrom(session, 0)).toEqual([0, 1, 2]);
    const fork = await forked(session, 0, { step: 1 });
    expect(fork.run.getState()).toMatchObject({ status: 'done', text: 'Done again.' });
    expect(JSON.stringify(model.calls[3]?.prompt)).toContain('The task list is not complete');
  });

  test('of a step of an agent continues that agent, and then the run', async () => {
    page.prompts.set(
      'agents',
      definePrompt('agents', (prompt) => {
        prompt.defAgent('outer', 'Helps', z.object({}), (_input, agent) => {
          agent.defAgent('inner', 'Helps, too', z.object({}), (_none, own) => {
            defLook(own);
            own.$`Help.`;
          });
          agent.$`Help.`;
        });
        prompt.defTool('look', 'Looks', z.object({ what: z.string() }), ({ what }) => what);
        prompt.$`Go.`;
      }) as never,
    );
    const ask = (name: string): ScriptedTurn => [{ toolCall: { name, input: {}, id: name } }];
    const first = [look('left'), ask('outer'), ask('inner'), look('up'), 'Inner.', 'Outer.', 'Done.'];
    const again = ['Inner again.', 'Outer again.', 'Done again.'];
    const withBear = ['A bear.', 'It saw a bear.', 'There is a bear.'];
    const { session, model } = await run([...first, ...again, ...withBear], 'agents');
    expect(stepOfAgent(session, 0, 'outer')).toBe(1);
    expect(stepOfAgent(session, 0, 'outer/inner')).toBe(1);
    expect(stepOfAgent(session, 0, 'nobody')).toBeUndefined();

    const agent = 'outer/inner';
    expect(stepsToRunFrom(session, 0, agent)).toEqual([0, 1]);
    const fork = await forked(session, 0, { step: 1, agent });
    expect(fork.parent).toEqual({ id: session.id, turn: 0, step: 1, agent });
    expect(fork.run.getState()).toMatchObject({ status: 'done', text: 'Done again.' });
    expect(looked).toEqual(['up']);
    expect(JSON.stringify(model.calls[7]?.prompt)).toBe(JSON.stringify(model.calls[4]?.prompt));

    expect(answerOf(session, 0, 0, agent)).toBe('I look up.');
    const bear = await edited(session, 0, { step: 0, agent, toolCallId: 'look-up', output: 'A bear.' });
    expect(bear.run.getState().text).toBe('There is a bear.');
    expect(JSON.stringify(model.calls[10]?.prompt)).toContain('A bear.');
    expect(looked).toEqual(['up']);
    expect(forkItems(useForks.getState().kept, bear.id).map(({ title }) => title)).toEqual([
      'Run 1',
      'Run 2 · from step 2 of inner',
      'Run 3 · result edited in step 1 of inner',
    ]);
  });

  test('of a prompt of the library keeps its input and its steps', async () => {
    const model = scriptedModel([look('left'), 'Nothing.', 'Otherwise.']);
    page.model = model;
    const prompt = definePrompt('place', (own, place: string) => {
      defLook(own);
      own.$`Look around ${place}.`;
    });
    usePlayground.setState({ view: 'prompts' });
    startPromptRun(prompt, 'the moor', {});
    const session = store().promptSession!;
    await session.run.finished;
    forkAt(session, 0, { step: 1 });
    const fork = store().promptSession!;
    await fork.run.finished;
    expect(fork.run.getState().text).toBe('Otherwise.');
    expect(looked).toEqual(['left']);
    expect(JSON.stringify(model.calls[2]?.prompt)).toContain('the moor');
  });

  test('keeps the state of the tasks, and does not repeat the calls of an agent', async () => {
    page.prompts.set(
      'tasks',
      definePrompt('tasks', (prompt) => {
        prompt.defAgent('helper', 'Helps', z.object({}), (_input, agent) => agent.$`Help.`);
        prompt.defTaskList([{ task: 'One' }, { task: 'Two' }]);
        prompt.$`Go.`;
      }) as never,
    );
    const ask: ScriptedTurn = [{ toolCall: { name: 'helper', input: {} } }];
    const turns = [ask, 'Helped.', finish, finish, 'Done.', finish, 'Done again.'];
    const { session, model } = await run(turns, 'tasks');
    expect(session.run.getState().text).toBe('Done.');
    const fork = await forked(session, 0, { step: 2 });
    const { tasks, agents, text: answer } = fork.run.getState();
    expect(answer).toBe('Done again.');
    expect(tasks.map(({ status }) => status)).toEqual(['completed', 'completed']);
    expect(agents).toHaveLength(1);
    expect(model.calls).toHaveLength(7);
  });
});

test('a fork of an example continues with the unused scripted answers; after an edit, the rule-based model answers', async () => {
  const weather = examples[0]!.source;
  page.prompts.set(weather, caves('You explore.') as never);
  const { session } = await run([look('left'), look('right'), 'Nothing.', 'Dark.', 'Light.'], weather);
  await forked(session, 0, { step: 1 });
  await edited(session, 0, { step: 0, toolCallId: 'look-left', output: 'A bear.' });
  expect(page.plays.map((play) => play?.played)).toEqual([[], [0], undefined]);
});

describe('an edit', () => {
  test('of a result keeps the step with it, and runs what follows', async () => {
    const { session, model } = await run([look('left'), look('right'), 'Nothing.', 'A dragon!']);
    const fork = await edited(session, 0, { step: 1, toolCallId: 'look-right', output: { dragon: true } });
    expect(looked).toEqual(['left', 'right']);
    expect(JSON.stringify(model.calls[3]?.prompt)).toContain('dragon');
    const { text: answer, toolCalls } = fork.run.getState();
    expect(answer).toBe('A dragon!');
    expect(toolCalls.map(({ edited }) => edited)).toEqual([undefined, true]);
    expect(session.run.getState().toolCalls[1]?.output).toEqual({ what: 'right' });
  });

  test('of the last answer runs nothing, and a reply continues from it', async () => {
    const { session, model } = await run([look('left'), 'Nothing.', 'As you say.']);
    expect(answerOf(session, 0, 0)).toBe('I look left.');
    expect(answerOf(session, 0, 1)).toBe('Nothing.');
    expect(answerOf(session, 0, 2)).toBeUndefined();
    const { connection } = store();
    usePlayground.setState({ connection: { ...connection, kind: 'openai' } });
    forkEdited(session, 0, { step: 1, text: 'A cat.' });
    expect(shown().run.getState()).toMatchObject({ status: 'done', text: 'A cat.' });
    expect(shown()).toMatchObject({ model: session.model, simulated: true });
    usePlayground.setState({ connection });
    expect(model.calls).toHaveLength(2);
    reply('Really?');
    await shown().run.finished;
    expect(JSON.stringify(model.calls[2]?.prompt)).toContain('A cat.');
    expect(shown().parent).toEqual({ id: session.id, turn: 0, step: 2 });
  });
});

test('at an earlier moment, the run continues after its last complete step', async () => {
  const { session, log } = await run([look('left'), look('right'), 'Nothing.']);
  const end = log.find(({ type }) => type === 'step-end')!.seq;
  expect([end - 1, end, end + 3, log.length].map((seq) => stepAfter(session, 0, seq))).toEqual([0, 1, 1, 2]);
});

test('the runs of the page stay as a tree, whose titles name the step of each fork', async () => {
  const { session } = await run([look('left'), 'One.', 'Two.', 'Three.', look('up'), 'Four.']);
  const second = await forked(session, 0, { step: 1 });
  store().edit('caves, edited');
  await forked(session, 0, { step: 1, script: store().script });
  const last = await edited(second, 0, { step: 0, toolCallId: 'look-left', error: 'It is dark.' });
  const items = forkItems(useForks.getState().kept, last.id);
  expect(items.map(({ title, status, steps }) => [title, status, steps])).toEqual([
    ['Run 1', 'done', 2],
    ['Run 2 · from step 2', 'done', 2],
    ['Run 3 · from step 2 · script edited', 'done', 2],
    ['Run 4 · result edited in step 1', 'done', 3],
  ]);
  useInspection.getState().goTo({ turn: 0, seq: 3 });
  showSession(session);
  expect(shown()).toBe(session);
  expect(useInspection.getState().moment).toBeUndefined();
  expect(session.run.getState().text).toBe('One.');
  // another press of Run starts another tree
  startRun();
  expect(forkItems(useForks.getState().kept, shown().id)).toHaveLength(1);
  expect(forkItems(useForks.getState().kept, session.id)).toHaveLength(4);
});
