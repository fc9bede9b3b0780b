import { runAgentSession, type AgentSession } from '@cueline/core/agents';
import { isStepCount, streamText } from 'ai';
import { printTable } from '../table.ts';
import { heapOf } from './heap.ts';
import { pageSchema, pageTool, readPage } from './read-page-tool.ts';
import { createMarks, medianPace, paceRow, race, type Pace } from './step-cost.ts';
import { turnsModel, type Turn } from './turns-model.ts';

const TURNS = 500;
const ROUNDS = 7;
/** The token limit: a summary after about thirty turns of one page each. */
const TOKEN_LIMIT = 5_000;
const BUDGET = '≤ ×1.50';

const contenders = {
  'streamText, whole history': () => timed(plain),
  'a session, whole history': () => timed((onTurn) => session(onTurn, {})),
  'a session with compaction': () => timed((onTurn) => session(onTurn, { tokenLimit: TOKEN_LIMIT })),
  '  watched': () =>
    timed((onTurn) =>
      session(onTurn, { tokenLimit: TOKEN_LIMIT }, ({ run }) => void run.subscribe(() => {})),
    ),
  '  each turn kept': () =>
    timed((onTurn) =>
      session(onTurn, { tokenLimit: TOKEN_LIMIT, callbacks: { onMessagesUpdate: () => {} } }),
    ),
};

/** Compares the cost of a late turn of a long session with that of an early one. */
export async function benchSessions(): Promise<void> {
  const paces = await race(contenders, ROUNDS);
  printTable(
    `core: a session of ${TURNS} turns, a tool call each, mean µs per turn, median of ${ROUNDS} rounds`,
    [
      ['', 'first 100', 'last 100', 'ratio', 'budget'],
      ...Object.entries(paces).map(([name, rounds]) =>
        paceRow(name, medianPace(rounds), 0, name.includes('history') ? '' : BUDGET),
      ),
    ],
  );
  const kept = await heapOf(
    (onTurn) => session(onTurn, { tokenLimit: TOKEN_LIMIT }),
    new Set([0, 100, TURNS - 100, TURNS]),
  );
  printTable(`core: what a turn of that session leaves behind`, [
    ['', 'first 100', 'last 100', 'ratio', 'budget'],
    paceRow('KB of memory, with compaction', kept, 1, BUDGET),
  ]);
}

async function timed(run: (onTurn: () => void) => Promise<void>): Promise<Pace> {
  const { mark, pace } = createMarks();
  await run(mark);
  return pace({ of: 100, per: 1 });
}

/** The same turns without Cueline. */
async function plain(onTurn: () => void): Promise<void> {
  const result = streamText({
    model: turnsModel((turn) => read(turn), onTurn, false),
    prompt: 'Read all pages.',
    tools: { read: pageTool },
    stopWhen: isStepCount(TURNS + 1),
  });
  await result.consumeStream();
}

async function session(
  onTurn: () => void,
  config: Pick<Parameters<typeof runAgentSession>[1], 'tokenLimit' | 'callbacks'>,
  watch: (session: AgentSession) => void = () => {},
): Promise<void> {
  let turns = 0;
  let summaries = 0;
  const model = turnsModel(
    (_, { tools }) => (tools === undefined ? `So far ${turns} pages have been read.` : read(turns++)),
    (_, { tools }) => {
      if (tools === undefined) summaries += 1;
      else onTurn();
    },
    false,
  );
  const running = runAgentSession(model, {
    systemPrompt: 'You read pages.',
    initialMessage: 'Read all pages.',
    maxTurns: TURNS + 1,
    tools: { read: { description: 'Reads a page', inputSchema: pageSchema, execute: readPage } },
    ...config,
  });
  watch(running);
  const { completionReason, totalTurns } = await running.promise;
  if (completionReason !== 'task_complete' || totalTurns !== TURNS + 1) {
    throw new Error(`The session ended after ${totalTurns} turns as ${completionReason}.`);
  }
  if (config.tokenLimit !== undefined && summaries < 10) {
    throw new Error(`There were ${summaries} summaries.`);
  }
}

function read(turn: number): Turn {
  return turn < TURNS
    ? { name: 'read', input: { page: turn } }
    : { name: 'task_complete', input: { summary: 'All pages are read.' } };
}
