import { reduceAll, type RunEventBody } from '@cueline/core';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, test } from 'vitest';
import { usesOfDefinition } from '../../src/inspector/definition/definition-uses.ts';
import { DefinitionView } from '../../src/inspector/definition/definition-view.tsx';
import { historyOfHook } from '../../src/inspector/definition/hook-changes.ts';
import { usesOfMessage } from '../../src/inspector/definition/message-uses.ts';
import { positionIn } from '../../src/inspector/definition/prompt-steps.ts';
import { stepsOfTasks } from '../../src/inspector/definition/tasks-of-steps.ts';
import type { DefinitionName } from '../../src/sandbox/script/definition.ts';
import type { RunSession } from '../../src/state/store.ts';
import { logOf, start } from '../transcript/run-events.ts';

type Body = RunEventBody & { agent?: string };

const user = (content: string) => ({ role: 'user' as const, content });
const sends = (number: number, texts: readonly string[], tools: readonly string[] = []): Body => ({
  type: 'step-start',
  step: number,
  request: {
    keep: 0,
    messages: texts.map(user),
    tools: tools.map((name) => ({ name, inputSchema: {} })),
  },
});
const agentStart = (path: string, name: string): Body => ({
  type: 'agent-start',
  agent: path,
  name,
  toolCallId: path,
  model: 'm',
  input: {},
  messages: [],
  messageId: 'a',
});

describe('a message of the script', () => {
  test('has its text in each request, even at another position, and its earlier text where it changed', () => {
    const state = reduceAll(
      logOf([
        start,
        sends(0, ['Intro', 'Go.']),
        sends(1, ['Go.']),
        sends(2, ['Intro', 'Go on.']),
        sends(3, ['Intro']),
      ]),
    );
    const uses = usesOfMessage(1, [state]);
    expect(uses.map((use) => [use.step, use.message.content, use.before?.content, use.isNew])).toEqual([
      [0, 'Go.', undefined, true],
      [1, 'Go.', undefined, false],
      [2, 'Go on.', 'Go.', true],
    ]);
  });

  test('has its position in its name', () => {
    expect(['messages[0]', 'messages[12]', 'messages[x]', 'toString'].map(positionIn)).toEqual([
      0,
      12,
      undefined,
      undefined,
    ]);
  });
});

describe('a definition of an agent', () => {
  const state = reduceAll(
    logOf([
      start,
      sends(0, ['a'], ['look']),
      agentStart('c1', 'research'),
      { ...sends(0, ['b'], ['look']), agent: 'c1' },
      agentStart('c1/c2', 'check'),
      { ...sends(0, ['c'], ['look']), agent: 'c1/c2' },
    ]),
  );

  test('is sent only in the steps of that agent', () => {
    const paths = (agent?: string) =>
      usesOfDefinition('tool', 'look', [state], agent).map(({ path }) => path);
    expect(paths()).toEqual([undefined]);
    expect(paths('research')).toEqual(['c1']);
    expect(paths('research/check')).toEqual(['c1/c2']);
    expect(paths('check')).toEqual([]);
  });

  test('is a message only of that agent', () => {
    expect(usesOfMessage(0, [state], 'research').map(({ message }) => message.content)).toEqual(['b']);
  });
});

test('a hook has the steps that it changed, with the values that they sent, up to the moment that is shown', () => {
  const hook = (number: number, index: number, changed: string[], more: object = {}): Body => ({
    type: 'hook',
    step: number,
    index,
    changed,
    ...more,
  });
  const log = logOf([
    start,
    hook(0, 0, ['messages', 'activeTools']),
    hook(0, 1, ['temperature']),
    sends(0, ['Go.'], ['look']),
    sends(1, ['Go.']),
    hook(2, 0, ['temperature', 'toString'], { taskId: 't1' }),
    sends(2, ['Go.']),
    hook(3, 0, ['messages']),
  ]);
  const history = historyOfHook(positionIn('hooks[0]')!, [reduceAll(log)], () => log);
  expect(history.steps).toBe(3);
  expect(history.changes.map(({ step: number, taskId, fields }) => [number, taskId, fields])).toEqual([
    [
      0,
      undefined,
      [
        { name: 'messages', value: [user('Go.')] },
        { name: 'activeTools', value: ['look'] },
      ],
    ],
    [
      2,
      't1',
      [
        { name: 'temperature', value: undefined },
        { name: 'toString', value: undefined },
      ],
    ],
  ]);
});

describe('the steps of a task', () => {
  const add = (id: string, index: number): Body => ({
    type: 'task-add',
    task: { id, title: id, origin: 'author' },
    index,
  });
  const done = (taskId: string): Body => ({ type: 'task-update', taskId, by: 'author', status: 'completed' });
  const log = logOf([
    start,
    add('a', 0),
    add('b', 1),
    sends(0, ['Go.'], ['finishTask', 'count']),
    sends(1, ['Go.'], ['finishTask', 'count']),
    done('a'),
    sends(2, ['Go.'], ['finishTask', 'send']),
    done('b'),
    sends(3, ['Go.'], []),
  ]);
  const outline = (until: number) => {
    const { steps } = reduceAll(log.slice(0, until + 1));
    return [...stepsOfTasks(log, undefined, steps, until)].map(([id, own]) => [
      id,
      own.steps.map(({ step: number }) => number),
      own.tools.map(({ name }) => name),
    ]);
  };

  test('are the steps in which the task was the current one, with the tools that only these steps have', () => {
    expect(outline(log.length - 1)).toEqual([
      ['a', [0, 1], ['count']],
      ['b', [2], ['send']],
    ]);
  });

  test('name no tools while all steps are of one task', () => {
    expect(outline(4)).toEqual([['a', [0, 1], []]]);
  });
});

describe('the view of a definition', () => {
  const log = logOf([
    start,
    { type: 'task-add', task: { id: 'a', title: 'Count', origin: 'author' }, index: 0 },
    { type: 'hook', step: 0, index: 0, changed: ['temperature'] },
    {
      type: 'step-start',
      step: 0,
      request: { keep: 0, messages: [user('Go.')], settings: { temperature: 0.5 } },
    },
  ]);
  const drawn = (selected: DefinitionName): string => {
    const session = { id: 's', run: { log: () => log }, earlier: [], source: { prompts: [] } } as unknown;
    return renderToStaticMarkup(
      createElement(DefinitionView, {
        session: session as RunSession,
        shown: { state: reduceAll(log), turn: 0, earlier: [], isPast: false },
        selected: { kind: 'definition', ...selected },
        onClose: () => {},
      }),
    );
  };

  test.each<[DefinitionName, readonly string[]]>([
    [{ of: 'hook', name: 'hooks[0]' }, ['1 of 1 step', 'temperature', '0.5']],
    [{ of: 'tasks', name: 'tasks' }, ['Count', 'Open', 'The script', 'Step 1']],
    [{ of: 'message', name: 'messages[0]' }, ['Step 1', 'Go.']],
    [{ of: 'message', name: 'messages[0]', agent: 'research' }, ['of research', 'No request contains it']],
  ])('%j shows what the run did with it', (selected, texts) => {
    const html = drawn(selected);
    for (const text of texts) expect(html).toContain(text);
  });
});
