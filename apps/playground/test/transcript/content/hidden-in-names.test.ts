import type { AgentState, ApprovalState, ClientToolCallState, Run, TaskState } from '@cueline/core';
import { createElement, type FunctionComponent } from 'react';
import { expect, test } from 'vitest';
import { ApprovalCard } from '../../../src/approval/approval-card.tsx';
import { ClientToolCard } from '../../../src/approval/client-tool-card.tsx';
import { ResponseLine } from '../../../src/approval/response-line.tsx';
import { CaseResults } from '../../../src/evals/case-results.tsx';
import { ForkTree, type ForkTreeProps } from '../../../src/forks/fork-tree.tsx';
import { emptyPrompt } from '../../../src/prompts/editable-prompt.ts';
import { PromptList } from '../../../src/prompts/prompt-list.tsx';
import { TaskPanel } from '../../../src/tasks/task-panel.tsx';
import { TaskRow } from '../../../src/tasks/task-row.tsx';
import type { TimelineRow } from '../../../src/timeline/timeline-row.ts';
import { WaterfallRow } from '../../../src/timeline/waterfall-row.tsx';
import { AgentCard } from '../../../src/transcript/agent-card.tsx';
import { announcement } from '../../../src/transcript/announcement.ts';
import { SubCalls } from '../../../src/transcript/calls/sub-calls.tsx';
import { ToolCard } from '../../../src/transcript/calls/tool-card.tsx';
import { ReasoningRow, SteerRow, TextRow, UserRow } from '../../../src/transcript/rows.tsx';
import { htmlOf } from '../../drawn.ts';
import { begun, firstStep, start, stateOf } from '../run-events.ts';

/** A name that a browser shows as `delete`, or in another order than it is written. */
const name = 'de\u200blete\u202e';
const shown = String.raw`de\u200blete\u202e`;
const hidden = /[\u200b\u202e\u3164]/;

const run = {} as Run;
const place = { run, agent: name, place: 1, total: 1, schema: undefined, refused: undefined };
const call = {
  toolCallId: 'c',
  toolName: name,
  step: 0,
  state: 'output-available',
  input: {},
  inputText: '',
  calledAt: 0,
  startedAt: 0,
  finishedAt: 1,
} as const;
const agent = {
  path: 'c',
  name,
  status: 'done',
  steps: [],
  toolCalls: [],
  tasks: [],
} as unknown as AgentState;
const now = { now: () => 0 };
const task = {
  id: 't',
  title: name,
  status: 'failed',
  error: name,
  attempts: 1,
  origin: 'model',
} as unknown as TaskState;
const row: TimelineRow = {
  key: 'c',
  level: 2,
  kind: 'call',
  label: name,
  detail: name,
  start: 0,
  end: 1,
  segments: [],
  failed: false,
  hasChildren: false,
  selection: undefined,
  isItself: true,
};
const rowProps = { row, id: 'c', index: 0, isFolded: false, isSelected: false, isActive: false, now: 0 };
const taskProps = { task, current: false, since: 0, until: 1, clock: now, onLeave: () => {} };
const forks: ForkTreeProps = {
  items: [{ id: 'a', title: name, status: 'done', steps: 1, startedOn: 0 }],
  shown: 'a',
  onShow: () => {},
};
const entry = { key: 'a', prompt: { ...emptyPrompt(name), version: name } };
const column = { key: 'a', prompt: name, model: name };
const failed = { status: 'error', scores: [], usage: {}, ms: 0, stored: false, error: { message: name } };
const answers = [failed, { ...failed, output: { text: name } }];
const results = {
  row: { id: 'a', input: { [name]: name }, expect: name, cells: [answers] },
  columns: [column],
};

const draw = (component: unknown, props: object): string =>
  htmlOf(createElement(component as FunctionComponent<object>, props));

test.each<[string, () => string]>([
  [
    'an approval',
    () =>
      draw(ApprovalCard, {
        ...place,
        approval: { approvalId: 'a', toolName: name, input: {}, reason: name } as ApprovalState,
      }),
  ],
  [
    'a client tool call',
    () =>
      draw(ClientToolCard, {
        ...place,
        call: { clientCallId: 'a', toolName: name, input: {} } as ClientToolCallState,
      }),
  ],
  ['a response', () => draw(ResponseLine, { response: { approved: false, reason: name } })],
  ['an agent', () => draw(AgentCard, { agent, call, clock: undefined, children: () => null })],
  ['a call', () => draw(ToolCard, { call, clock: undefined })],
  ['a call inside a tool', () => draw(SubCalls, { subCalls: [{ ...call, name, ms: 1 }], clock: undefined })],
  ['a row of the timeline', () => draw(WaterfallRow, rowProps)],
  ['a task', () => draw(TaskRow, { ...taskProps, refusal: name, edit: async () => true })],
  ['a fork', () => draw(ForkTree, forks)],
  ['a version of a prompt', () => draw(PromptList, { entries: [entry], selected: 'a', faults: new Map() })],
  ['a result', () => draw(CaseResults, results)],
  [
    'the task of a folded list',
    () => draw(TaskPanel, { run, tasks: [{ ...task, status: 'in_progress' }], open: false, clock: now }),
  ],
  ['a message', () => draw(UserRow, { text: name, files: [], variables: {} })],
  ['an answer', () => draw(TextRow, { text: `**${name}** \`${name}\` &#8238;` })],
  ['a plain answer', () => draw(TextRow, { text: `${name}\u3164` })],
  ['an answer in JSON', () => draw(TextRow, { text: JSON.stringify({ [name]: name }) })],
  ['a folded thought', () => draw(ReasoningRow, { text: name })],
  ['a folded message to the model', () => draw(SteerRow, { cause: 'user', text: name })],
  ['an announcement', () => announcement(stateOf([start, firstStep, ...begun('c', name)]))],
])('%s shows the hidden characters of names', (_what, drawn) => {
  const html = drawn().replaceAll(/ data-[\w-]+="[^"]*"/g, '');
  expect(html).toContain(shown);
  expect(html).not.toMatch(hidden);
});
