import { runPrompt, type RunHandle, type Prompt, type RunEvent } from '@cueline/core';
import { isStepCount, streamText, type ModelMessage } from 'ai';
import { printTable } from '../table.ts';
import { pageSchema, pageTool, readPage } from './read-page-tool.ts';
import { against, createMarks, medianPace, paceRow, race, type Pace } from './step-cost.ts';
import { turnsModel, type Turn } from './turns-model.ts';

/** Tool calls of a long run. */
export const STEPS = 1_000;
const ROUNDS = 7;
const BUDGET = '≤ ×1.50';

const turn = (step: number): Turn => (step < STEPS ? { name: 'read', input: { page: step } } : 'Done.');
const lastTwenty = ({ messages }: { messages: ModelMessage[] }): { messages: ModelMessage[] } => ({
  messages: messages.slice(-20),
});

/** The same run with and without Cueline, and with different readers. */
const contenders = {
  streamText: () => timePlain({}),
  runPrompt: () => timeRun({}),
  'runPrompt, watched': () => timeRun({ watch: (run) => void run.subscribe(() => {}) }),
  'runPrompt, state read at each step': () => timeRun({ atStep: (run) => void run.getState() }),
  'streamText, last 20 messages': () => timePlain({ prepareStep: lastTwenty }),
  'runPrompt, last 20 messages': () => timeRun({ define: (prompt) => prompt.defHook(lastTwenty) }),
};

/** Compares the cost of a late step of a long run with that of an early one. */
export async function benchLongRuns(): Promise<void> {
  const paces = await race(contenders, ROUNDS);
  const row = (name: keyof typeof contenders, budget = ''): string[] =>
    paceRow(name, medianPace(paces[name]), 0, budget);
  const over = (name: keyof typeof contenders, baseline: keyof typeof contenders): string[] =>
    paceRow('  ratio to streamText', medianPace(against(paces[name], paces[baseline])), 2, BUDGET);
  printTable(
    `core: a run of ${STEPS} steps, a tool call each, mean µs per step, median of ${ROUNDS} rounds`,
    [
      ['', 'first 100', 'last 100', 'ratio', 'budget'],
      // the cost of the AI SDK grows: at each step it converts all messages, two of which are new
      row('streamText'),
      row('runPrompt', BUDGET),
      over('runPrompt', 'streamText'),
      row('runPrompt, watched', BUDGET),
      over('runPrompt, watched', 'streamText'),
      row('runPrompt, state read at each step', BUDGET),
      over('runPrompt, state read at each step', 'streamText'),
      row('streamText, last 20 messages'),
      row('runPrompt, last 20 messages', BUDGET),
      over('runPrompt, last 20 messages', 'streamText, last 20 messages'),
    ],
  );
}

async function timePlain(options: { prepareStep?: typeof lastTwenty }): Promise<Pace> {
  const { mark, pace } = createMarks();
  await plainRun({ onCall: mark, ...options });
  return pace({ of: 100, per: 1 });
}

async function timeRun(look: Omit<Look, 'onCall'> & { atStep?: (run: RunHandle) => void }): Promise<Pace> {
  const { mark, pace } = createMarks();
  await promptRun({
    ...look,
    onCall: (run) => {
      mark();
      if (run !== undefined) look.atStep?.(run);
    },
  });
  return pace({ of: 100, per: 1 });
}

/** The run without Cueline. */
export async function plainRun({
  onCall,
  ...options
}: {
  onCall: () => void;
  prepareStep?: typeof lastTwenty;
}): Promise<void> {
  const result = streamText({
    model: turnsModel(turn, onCall),
    prompt: 'Read all pages.',
    tools: { read: pageTool },
    stopWhen: isStepCount(STEPS + 1),
    ...options,
  });
  await result.consumeStream();
  check((await result.steps).length - 1);
}

type Look = {
  onCall: (run: RunHandle | undefined) => void;
  define?: (prompt: Prompt) => void;
  watch?: (run: RunHandle) => void;
};

/** The run as a prompt, and its log. */
export async function promptRun({ onCall, define, watch }: Look): Promise<readonly RunEvent[]> {
  let live: RunHandle | undefined;
  const { run, result } = await runPrompt(
    (prompt) => {
      prompt.defTool('read', 'Reads a page', pageSchema, readPage);
      define?.(prompt);
      prompt.$`Read all pages.`;
    },
    {
      model: turnsModel(turn, () => onCall(live)),
      options: { limits: { steps: Infinity, toolCalls: Infinity } },
    },
  );
  live = run;
  watch?.(run);
  await result.consumeStream();
  check(run.getState().toolCalls.filter(({ state }) => state === 'output-available').length);
  return run.log();
}

function check(calls: number): void {
  if (calls !== STEPS) throw new Error(`The run made ${calls} tool calls of ${STEPS}.`);
}
