import { runPrompt, type Prompt, type RunEvent, type TaskDefinition } from '@cueline/core';
import { printTable } from '../table.ts';
import { pageSchema, readPage } from './read-page-tool.ts';
import { createMarks, medianPace, paceRow, race, type Pace } from './step-cost.ts';
import { turnsModel, type Turn } from './turns-model.ts';

const TASKS = 200;
const ROUNDS = 7;
/** For each task, the model reads a page and returns its text as the result. */
const STEPS_PER_TASK = 2;

const contenders = {
  'one tool for all tasks': () => timeList({ extended: false }),
  'a tool of each task’s own': () => timeList({ extended: true }),
  'one tool for all tasks, watched': () => timeList({ extended: false, watched: true }),
};

/** Compares the cost of a late task of a long list with that of an early one. */
export async function benchTaskLists(): Promise<void> {
  const paces = Object.entries(await race(contenders, ROUNDS));
  printTable(
    `core: a list of ${TASKS} tasks, ${STEPS_PER_TASK} steps each, mean µs per task, median of ${ROUNDS} rounds`,
    [
      ['', 'first 20', 'last 20', 'ratio', 'budget'],
      ...paces.map(([name, pace]) => paceRow(name, medianPace(pace), 0, '≤ ×1.50')),
    ],
  );
}

/** Returns the log of one such run. */
export async function taskListLog(): Promise<readonly RunEvent[]> {
  const { events } = await runList({ extended: false, onCall: () => {} });
  return events;
}

async function timeList(list: { extended: boolean; watched?: boolean }): Promise<Pace> {
  const { mark, pace } = createMarks();
  await runList({ ...list, onCall: mark });
  return pace({ of: 20 * STEPS_PER_TASK, per: STEPS_PER_TASK });
}

async function runList({
  extended,
  watched = false,
  onCall,
}: {
  extended: boolean;
  watched?: boolean;
  onCall: () => void;
}): Promise<{ events: readonly RunEvent[] }> {
  const { run, result } = await runPrompt(
    (prompt) => {
      if (!extended) defineRead(prompt);
      prompt.$`Read all pages.`;
      prompt.defTaskList(Array.from({ length: TASKS }, (_, page) => taskOf(page, extended)));
    },
    { model: turnsModel(turn, onCall), options: { limits: { steps: Infinity, toolCalls: Infinity } } },
  );
  if (watched) run.subscribe(() => {});
  await result.consumeStream();
  const completed = run.getState().tasks.filter(({ status }) => status === 'completed').length;
  if (completed !== TASKS) throw new Error(`The run completed ${completed} tasks of ${TASKS}.`);
  return { events: run.log() };
}

function turn(step: number): Turn {
  const page = Math.floor(step / STEPS_PER_TASK);
  if (page === TASKS) return 'Done.';
  if (step % STEPS_PER_TASK === 0) return { name: 'read', input: { page } };
  return { name: 'finishTask', input: { result: `Page ${page} says nothing that is new.` } };
}

function taskOf(page: number, extended: boolean): TaskDefinition<Prompt> {
  return {
    task: `Read page ${page} and say in a line what it says`,
    validation: (result) => (result.includes(`${page}`) ? undefined : 'Name the page.'),
    ...(extended ? { extend: defineRead } : {}),
  };
}

function defineRead(prompt: Prompt): void {
  prompt.defTool('read', 'Reads a page', pageSchema, readPage);
}
