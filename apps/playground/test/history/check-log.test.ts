import { reduceAll, runPrompt, type PromptDefinition, type RunEvent } from '@cueline/core';
import { decodeLink, encodeLink } from '@cueline/core/link';
import fc from 'fast-check';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { beforeAll, expect, test } from 'vitest';
import { examples } from '../../src/examples/index.ts';
import { scriptedAnswers } from '../../src/examples/scripted-answers.ts';
import { problemOfEvents, problemOfLog } from '../../src/history/check-log.ts';
import { scriptedModelOf } from '../../src/model/scripted-model.ts';
import { RunBar } from '../../src/panes/run-bar.tsx';
import { TaskPanel } from '../../src/tasks/task-panel.tsx';
import { announcement } from '../../src/transcript/announcement.ts';
import { Rows } from '../../src/transcript/row.tsx';
import { toTranscript } from '../../src/transcript/view-model.ts';
import { htmlOf } from '../drawn.ts';
import { answerAll, sessionOf } from '../sessions.ts';

/** The log of every example, as a link delivers it. */
const logs = new Map<string, RunEvent[]>();

beforeAll(async () => {
  await Promise.all(
    examples.map(async ({ id, source }) => {
      const module = (await import(`../../src/examples/${id}.ts`)) as { default: PromptDefinition };
      const { run } = await runPrompt(module.default, {
        model: scriptedModelOf(scriptedAnswers[id]!, { hurried: true }),
      });
      answerAll(run);
      await run.finished;
      const { log } = decodeLink(encodeLink({ script: source, log: run.log() }));
      logs.set(id, [...log!]);
    }),
  );
}, 60_000);

const session = sessionOf(undefined, { shared: true, simulated: false });

/**
 * Draws a run as the pane does. A row that fails to draw does not count as a failure of the page, which has an error
 * boundary around each row.
 */
function draw(log: readonly RunEvent[]): { drawn: number; failed: unknown[] } {
  const state = reduceAll(log);
  const shown = { ...session, run: { log: () => log } as never };
  htmlOf(createElement(RunBar, { session: shown, shown: { state, turn: 0, earlier: [], isPast: false } }));
  renderToStaticMarkup(
    createElement(TaskPanel, {
      run: undefined as never,
      tasks: state.tasks,
      inProgress: false,
      clock: { now: () => 0 },
      open: true,
    }),
  );
  announcement(state);
  const failed: unknown[] = [];
  const items = toTranscript(state);
  for (const item of items) {
    try {
      htmlOf(createElement(Rows, { items: [item], session: shown }));
    } catch (error) {
      failed.push(error);
    }
  }
  return { drawn: items.length, failed };
}

test.each(examples.map(({ id }) => id))('the whole run of %s can be shown', async (id) => {
  const log = logs.get(id)!;
  expect(await problemOfLog(log)).toBeUndefined();
  const { drawn, failed } = draw(log);
  expect(drawn).toBeGreaterThan(2);
  expect(failed).toEqual([]);
});

const start = { seq: 0, t: 0, type: 'run-start', v: 2, runId: 'r', model: 'm', messages: [], messageId: 'a' };
const end = { type: 'run-end', outcome: 'done', finishReason: 'stop' };
/** A log of these between its start and its end. */
const around = (...inner: object[]): RunEvent[] =>
  [start, ...inner, end].map((event, seq) => ({ ...event, seq, t: 't' in event ? event.t : seq })) as never;
const nested = (depth: number): unknown => (depth === 0 ? 0 : [nested(depth - 1)]);

test.each<[string, RunEvent[], string | undefined]>([
  ['nothing but its start and end', around(), undefined],
  ['nothing', [], 'it has no start or no end'],
  ['no start', around().slice(1), 'it has no start or no end'],
  ['no end', around().slice(0, -1), 'it has no start or no end'],
  ['two runs', around(start), 'it contains more than one run'],
  ['two ends', around(end), 'it contains more than one run'],
  ['a run that was continued', around({ type: 'run-resume', runId: 'r2', model: 'm' }), undefined],
  [
    'an end before the last event',
    around(end, { type: 'run-resume', runId: 'r2', model: 'm' }),
    'it contains more than one run',
  ],
  ['an incomplete event', around({ type: 'step-start', step: 0 }), 'its event 2 is not valid'],
  ['an event of no known type', around({ type: '__proto__' }), 'it has an event of an unknown type'],
  ['another number', [around()[0]!, { ...around()[1]!, seq: 7 }], 'its event 2 is not valid'],
  ['time that goes back', around({ type: 'warning', message: 'a', t: 9 }), 'its times are not in order'],
  ['time without end', around({ type: 'warning', message: 'a', t: 1e300 }), 'its times are not in order'],
  [
    'values too deep to draw',
    around({ type: 'tool-end', toolCallId: 'c', output: nested(5_000) }),
    'it has values more than 100 levels deep',
  ],
  [
    'more tasks than can be drawn',
    around(
      ...Array.from({ length: 1_001 }, (_, index) => ({
        type: 'task-add',
        task: { id: `t${index}`, title: 'a', origin: 'user' },
        index,
      })),
    ),
    'it has more than 1,000 tasks',
  ],
  [
    'an approval that the user can no longer answer',
    around({
      type: 'approval-request',
      approvalId: 'q',
      toolCallId: 'c',
      toolName: 'go',
      input: 1,
    }).with(2, { seq: 2, t: 2, type: 'run-end', outcome: 'waiting' }),
    'it has no end',
  ],
])('a log with %s', async (_what, log, problem) => {
  expect(await problemOfLog(log)).toBe(problem);
});

test('a log with a message that a link cannot carry is not shared, but a stored one opens', async () => {
  const log = around({ type: 'warning', message: 'w'.repeat(300_000) });
  expect(await problemOfEvents(log)).toBe('it has a message of more than 200,000 characters');
  expect(await problemOfEvents(log, { isStored: true })).toBeUndefined();
});

test('a stored log of a run that was continued opens, although each run has at most 1,000 calls', async () => {
  const calls = Array.from({ length: 1_200 }, (_, index) => ({
    type: 'tool-start',
    toolCallId: `c${index}`,
    toolName: 'look',
  }));
  const log = around(...calls.toSpliced(600, 0, { type: 'run-resume', runId: 'r2', model: 'm' } as never));
  expect(await problemOfEvents(log, { isStored: true })).toBeUndefined();
  expect(await problemOfEvents(log)).toBe('it has more than 1,000 tool calls');
});

test('the texts of a run from a link are shown as text', async () => {
  const html = '<img src=x onerror=alert(1)><script>alert(2)</script>';
  const { model: _model, ...rest } = start;
  const log = around(
    { type: 'step-start', step: 0, request: { keep: 0, messages: [], instructions: html } },
    { type: 'text-start', id: 't' },
    {
      type: 'text-delta',
      id: 't',
      text: `${html} ![a](https://evil.example/x.png) [b](javascript:alert(3))`,
    },
    { type: 'text-end', id: 't' },
    { type: 'file', mediaType: 'image/png', url: 'https://evil.example/y.png' },
    { type: 'source', source: { sourceType: 'url', id: 's', url: 'javascript:alert(4)', title: html } },
    { type: 'warning', message: html },
  ).with(0, { ...rest, model: html } as never);
  expect(await problemOfLog(log)).toBeUndefined();
  const drawn = renderToStaticMarkup(
    createElement(Rows, {
      items: toTranscript(reduceAll(log)),
      session,
    }),
  );
  expect(drawn).not.toMatch(/<script|<img|<iframe|href="javascript|src="https?:/i);
});

const hostile = fc.constantFrom<unknown>(
  null,
  undefined,
  '',
  '__proto__',
  'constructor',
  0,
  -1,
  0.5,
  1e308,
  true,
  [],
  {},
  [null],
  [[[]]],
  { length: -1 },
  { type: 'text' },
  { toString: 1 },
  'x'.repeat(5_000),
  '{"a":',
  'javascript:alert(1)',
);

/** Every place in a value, as the keys that lead there. */
function placesIn(value: unknown, at: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [at];
  return [at, ...Object.entries(value).flatMap(([key, part]) => placesIn(part, [...at, key]))];
}

function put(value: unknown, [key, ...rest]: readonly string[], part: unknown): unknown {
  if (key === undefined) return part;
  const copy = (Array.isArray(value) ? [...(value as unknown[])] : { ...(value as object) }) as Record<
    string,
    unknown
  >;
  const next = put(copy[key], rest, part);
  if (next === undefined && !Array.isArray(copy)) delete copy[key];
  else copy[key] = next;
  return copy;
}

const change = fc.record({
  event: fc.nat(),
  place: fc.nat(),
  how: fc.constantFrom('put', 'drop', 'double', 'move'),
  value: hostile,
});

test('a run with any change is refused or shown, and the page keeps working', async () => {
  const all = () => fc.constantFrom(...logs.values());
  const seen = { refused: 0, shown: 0, failed: new Set<string>() };
  await fc.assert(
    fc.asyncProperty(
      fc.nat().chain(all),
      fc.array(change, { minLength: 1, maxLength: 4 }),
      async (whole, changes) => {
        let log: unknown[] = [...whole];
        for (const { event, place, how, value } of changes) {
          const at = event % log.length;
          if (how === 'drop') log = log.toSpliced(at, 1);
          else if (how === 'double') log = log.toSpliced(at, 0, log[at]);
          else if (how === 'move') log = log.toSpliced(at, 1).toSpliced(place % log.length, 0, log[at]);
          else {
            const places = placesIn(log[at]);
            log = log.with(at, put(log[at], places[place % places.length]!, value));
          }
        }
        const numbered = log.map((event, seq) =>
          typeof event === 'object' && event !== null ? { ...event, seq } : event,
        ) as RunEvent[];
        // as a link delivers it
        const sent = JSON.parse(JSON.stringify(numbered)) as RunEvent[];
        if ((await problemOfLog(sent)) !== undefined) {
          seen.refused += 1;
          return;
        }
        seen.shown += 1;
        for (const error of draw(sent).failed) seen.failed.add(String(error));
      },
    ),
    { numRuns: 200 },
  );
  // if one of them rarely happens, the test shows nothing
  expect(seen.refused).toBeGreaterThan(25);
  expect(seen.shown).toBeGreaterThan(10);
  expect([...seen.failed]).toEqual([]);
}, 120_000);

const manyVariables = around(
  ...Array.from({ length: 20_000 }, (_, i) => ({
    type: 'variable-set' as const,
    name: `V${i}`,
    kind: 'text' as const,
    value: 'v',
  })),
);

test('a log of 20,000 events is checked in slices', async () => {
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 1);
  expect(await problemOfLog(manyVariables)).toBeUndefined();
  clearInterval(timer);
  expect(turns).toBeGreaterThan(2);
});

test('a few of a thousand rows are drawn at first', () => {
  const warnings = Array.from({ length: 1_000 }, () => ({ type: 'warning' as const, message: 'w' }));
  const drawn = renderToStaticMarkup(
    createElement(Rows, {
      items: toTranscript(reduceAll(around(...warnings))),
      session,
    }),
  );
  expect(drawn.match(/row-lazy/g)).toHaveLength(20);
});
