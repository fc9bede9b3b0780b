import { readdirSync, writeFileSync } from 'node:fs';
// Draws the pictures of the gallery: the bars of a run of each example, with its scripted answers at their original
// pace. Run: pnpm --filter @cueline/playground record
import { runPrompt, type PromptDefinition, type RunState } from '@cueline/core';
import { scriptedPace } from '../src/examples/scripted-answer.ts';
import { scriptedAnswers } from '../src/examples/scripted-answers.ts';
import { scriptedModelOf } from '../src/model/scripted-model.ts';

type Bar = [kind: 'model' | 'tool' | 'agent', lane: number, start: number, end: number];

/** How many lanes a picture has, including the model's. */
const LANES = 4;
/** The width of a picture. */
const WIDTH = 200;

async function play(id: string): Promise<RunState> {
  const { default: prompt } = (await import(`../src/examples/${id}.ts`)) as { default: PromptDefinition };
  const { run } = await runPrompt(prompt, {
    model: scriptedModelOf(scriptedAnswers[id] ?? [], scriptedPace),
  });
  run.listen((event) => {
    if (event.type !== 'approval-request') return;
    setTimeout(() => void run.respondToApproval(event.approvalId, { approved: true }), 1_000);
  });
  return run.finished;
}

/**
 * A run's model calls in the first lane, and its tool calls in the lanes below; simultaneous calls have separate lanes.
 */
function barsOf({ steps, toolCalls, agents, elapsed }: RunState): Bar[] {
  const x = (time: number): number => Math.round((time / elapsed) * WIDTH);
  const bar = (kind: Bar[0], lane: number, start: number, end: number): Bar => [
    kind,
    lane,
    Math.min(x(start), WIDTH - 2),
    Math.max(x(end), x(start) + 2),
  ];
  const isAgent = new Set(agents.map(({ toolCallId }) => toolCallId));
  const free = Array.from({ length: LANES - 1 }, () => 0);
  const bars = steps.map(({ startedAt, firstOutputAt, finishedAt = elapsed }) => {
    const calls = toolCalls.filter((call) => call.startedAt !== undefined && call.startedAt >= startedAt);
    const end = Math.min(finishedAt, ...calls.map((call) => call.startedAt ?? finishedAt));
    return bar('model', 0, firstOutputAt ?? startedAt, end);
  });
  for (const { toolCallId, startedAt, calledAt, finishedAt = elapsed } of toolCalls) {
    const start = startedAt ?? calledAt;
    const lane = Math.max(
      0,
      free.findIndex((end) => end <= start),
    );
    free[lane] = finishedAt;
    bars.push(bar(isAgent.has(toolCallId) ? 'agent' : 'tool', lane + 1, start, finishedAt));
  }
  return bars;
}

const others = new Set([
  'index',
  'scripted-answer',
  'scripted-answers',
  'session-answers',
  'edited-answers',
  'scripted-answers-for',
]);
const ids = readdirSync(new URL('../src/examples/', import.meta.url))
  .flatMap((name) => (name.endsWith('.ts') ? [name.slice(0, -3)] : []))
  .filter((id) => !others.has(id));
const pictures = await Promise.all(
  ids.map(async (id) => `  ${JSON.stringify(id)}: ${JSON.stringify(barsOf(await play(id)))}`),
);
const file = new URL('../src/examples/pictures.json', import.meta.url);
writeFileSync(file, `{\n${pictures.join(',\n')}\n}\n`);
