import { definePrompt, runPrompt, type RunEvent } from '@cueline/core';
import { isStepCount, jsonSchema, type LanguageModel } from 'ai';

type Model = Exclude<LanguageModel, string> & { specificationVersion: 'v4' };
type Stream = Awaited<ReturnType<Model['doStream']>>['stream'];
type Part = Stream extends ReadableStream<infer Each> ? Each : never;

/** 40 steps, each with a thought, a text and two calls: about 500 events a step. */
const STEPS = 40;
const THOUGHTS = 98;
const WORDS = 308;
const CALLS = 2;
const ARGUMENT_DELTAS = 45;
/** The time between two events, in milliseconds: the run took 100 seconds. */
const EVENT_MS = 5;

/** The last words of the run. */
export const lastWords = 'That was the last step.';

/** The script that is in the editor beside the run. It ends in a comment to type into. */
const script = `import { definePrompt } from '@cueline/core';

export default definePrompt('long', (prompt) => {
  prompt.$\`Look at everything, and report.\`;
});
// `;

/** A file with a run of 20,000 events, as the playground's history exports one. */
export async function longRunFile(): Promise<string> {
  const log = await longLog();
  const run = {
    title: 'A long run',
    source: { script },
    model: { name: 'Bench', detail: 'bench' },
    simulated: false,
    startedOn: Date.now() - log.at(-1)!.t,
    updatedOn: Date.now(),
    status: 'done',
    steps: STEPS,
    turns: 1,
    elapsed: log.at(-1)!.t,
    size: 0,
    hasLog: true,
    id: 'long',
    writer: 'bench',
  };
  return JSON.stringify({ cueline: 'run', version: 1, run, logs: [log] });
}

/** The events of a real run, at even distances. */
async function longLog(): Promise<RunEvent[]> {
  const prompt = definePrompt('long', (at) => {
    at.defTool('look', 'Looks at a part.', jsonSchema({ type: 'object' }), () => ({ found: 12 }));
    at.$`Look at everything, and report.`;
  });
  const { run, result } = await runPrompt(prompt, {
    model: longModel(),
    options: { stopWhen: isStepCount(STEPS) },
  });
  await result.text;
  const log = run.log().map((event, index) => ({ ...event, t: index * EVENT_MS }));
  if (log.length < 20_000 || log.at(-1)?.type !== 'run-end')
    throw new Error(`The long run has ${log.length} events, the last of them a ${log.at(-1)?.type}.`);
  return log;
}

function longModel(): Model {
  let step = 0;
  return {
    specificationVersion: 'v4',
    provider: 'bench',
    modelId: 'long',
    supportedUrls: {},
    doGenerate() {
      throw new Error('The bench streams.');
    },
    doStream: () => {
      const parts = partsOf(step++);
      return Promise.resolve({
        stream: new ReadableStream<Part>({
          start(controller) {
            for (const part of parts) controller.enqueue(part);
            controller.close();
          },
        }),
      });
    },
  };
}

function partsOf(step: number): Part[] {
  const isLast = step === STEPS - 1;
  const reason = isLast ? 'stop' : 'tool-calls';
  return [
    { type: 'stream-start', warnings: [] },
    { type: 'reasoning-start', id: 'thought' },
    ...deltas(THOUGHTS).map((delta): Part => ({ type: 'reasoning-delta', id: 'thought', delta })),
    { type: 'reasoning-end', id: 'thought' },
    { type: 'text-start', id: 'text' },
    ...deltas(WORDS).map((delta): Part => ({ type: 'text-delta', id: 'text', delta })),
    ...(isLast ? [{ type: 'text-delta', id: 'text', delta: lastWords } as const] : []),
    { type: 'text-end', id: 'text' },
    ...(isLast ? [] : Array.from({ length: CALLS }, (_, call) => callParts(`call-${step}-${call}`)).flat()),
    {
      type: 'finish',
      finishReason: { unified: reason, raw: reason },
      usage: {
        inputTokens: { total: 1_000 + step * 500, noCache: 1_000, cacheRead: step * 500, cacheWrite: 0 },
        outputTokens: { total: 500, text: 400, reasoning: 100 },
      },
    },
  ];
}

/** Text with paragraphs, a list and some code in it. */
function deltas(count: number): string[] {
  return Array.from({ length: count }, (_, index) => {
    if (index % 60 === 59) return '\n\n';
    if (index % 60 === 40) return '\n\n- **one** thing ';
    if (index % 60 === 48) return '\n- `another` thing ';
    return ['words ', 'that ', 'say ', 'something '][index % 4]!;
  });
}

function callParts(id: string): Part[] {
  const input = JSON.stringify({ part: id, notes: 'a note '.repeat(60) });
  const size = Math.ceil(input.length / ARGUMENT_DELTAS);
  return [
    { type: 'tool-input-start', id, toolName: 'look' },
    ...Array.from({ length: ARGUMENT_DELTAS }, (_, index): Part => ({
      type: 'tool-input-delta',
      id,
      delta: input.slice(index * size, (index + 1) * size),
    })),
    { type: 'tool-input-end', id },
    { type: 'tool-call', toolCallId: id, toolName: 'look', input },
  ];
}
