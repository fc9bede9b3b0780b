import type { RunState } from '@cueline/core';
import { describe, expect, test } from 'vitest';
import { costsOfLines } from '../../src/editor/line-costs.ts';
import { linesOfSelection, selectionOfLine } from '../../src/editor/lines-of-selection.ts';
import { examples } from '../../src/examples/index.ts';
import { scriptedAnswers } from '../../src/examples/scripted-answers.ts';
import { scriptedModelOf } from '../../src/model/scripted-model.ts';
import type { Selection } from '../../src/state/inspection.ts';
import { linesOfRun, moveLines } from '../../src/state/lines-of-run.ts';
import type { ShownRun } from '../../src/state/shown-run.ts';
import { runScript } from '../sandbox/run-script.ts';

const played = new Map<string, ReturnType<typeof run>>();

/** A run of an example, with the lines of its script. */
function play(id: string): ReturnType<typeof run> {
  const known = played.get(id) ?? run(id);
  played.set(id, known);
  return known;
}

async function run(id: string) {
  const { source } = examples.find((example) => example.id === id)!;
  const { lines: made, state } = await runScript(
    source,
    scriptedModelOf(scriptedAnswers[id]!, { hurried: true }),
  );
  const lines = linesOfRun(source, made);
  const shown: ShownRun = { state, turn: 0, earlier: [], isPast: false };
  const marked = (selection: Selection): string[] =>
    linesOfSelection(selection, lines, () => state).map(({ line }) => source.split('\n')[line - 1]!.trim());
  const select = (text: string): Selection | undefined => selectionOfLine(lineOf(source, text), lines, shown);
  return { source, made, lines, shown, state, marked, select };
}

function lineOf(source: string, text: string): number {
  return source.split('\n').findIndex((line) => line.includes(text)) + 1;
}

const callOf = (state: RunState, toolName: string) =>
  state.toolCalls.find((call) => call.toolName === toolName)!;

describe('the lines of a selection', () => {
  test('a call, a definition, and the steps of a run', async () => {
    const { state, marked } = await play('trip-planner');
    const { toolCallId, step } = callOf(state, 'addUp');
    expect(marked({ kind: 'call', turn: 0, step, toolCallId })).toEqual(['prompt.defTool(']);
    expect(marked({ kind: 'definition', of: 'system', name: 'format' })).toEqual([
      expect.stringContaining("defSystem('format'"),
    ]);
    expect(marked({ kind: 'step', turn: 0, step: 0 })).toEqual(['prompt.$`']);
    // two calls of the same tool were answered before it
    expect(marked({ kind: 'step', turn: 0, step: 2 })).toHaveLength(1);
    expect(marked({ kind: 'call', turn: 0, step, toolCallId: 'unknown' })).toEqual([]);
  });

  test('the lines of an agent are in its own function', async () => {
    const { state, marked } = await play('newsroom');
    const { path: agent, toolCalls } = state.agents[0]!;
    const [{ step, toolCallId }] = toolCalls as [RunState['toolCalls'][number]];
    expect(marked({ kind: 'call', turn: 0, agent, step, toolCallId })).toEqual([
      expect.stringContaining("agent.defTool('searchArchive'"),
    ]);
    expect(marked({ kind: 'step', turn: 0, agent, step: 0 })).toEqual(['agent.$`Look up ${topic}.`;']);
    expect(marked({ kind: 'call', turn: 0, step: 0, toolCallId: state.toolCalls[0]!.toolCallId })).toEqual([
      'prompt.defAgent(',
    ]);
    expect(marked({ kind: 'definition', of: 'system', name: 'role', agent: 'researcher' })).toEqual([
      expect.stringContaining('You are a researcher'),
    ]);
  });

  test('tools of a task list belong to the list, and task_complete to the session', async () => {
    const { state, marked } = await play('moving-house');
    const { toolCallId, step } = callOf(state, 'finishTask');
    expect(marked({ kind: 'call', turn: 0, step, toolCallId })).toEqual(['prompt.defTaskList([']);
    const session = await play('kitchen-garden');
    const end = callOf(session.state, 'task_complete');
    expect(session.marked({ kind: 'call', turn: 0, step: end.step, toolCallId: end.toolCallId })).toEqual([
      expect.stringContaining('export default defineSession'),
    ]);
    expect(session.marked({ kind: 'step', turn: 0, step: 0 })).toEqual([
      expect.stringContaining('initialMessage'),
    ]);
  });
});

describe('the selection of a line', () => {
  test('is the latest call for a tool, the definition itself for others, and undefined for a line without a definition', async () => {
    const { state, select } = await play('trip-planner');
    const latest = state.toolCalls.findLast((call) => call.toolName === 'findPlaces')!;
    expect(state.toolCalls.filter((call) => call.toolName === 'findPlaces').length).toBeGreaterThan(1);
    const selection = { kind: 'call', turn: 0, step: latest.step, toolCallId: latest.toolCallId };
    expect(select("'findPlaces'")).toEqual(selection);
    expect(select('budget: { euros: 50 }')).toEqual({ kind: 'definition', of: 'variable', name: 'WISHES' });
    expect(select('Plan Saturday')).toEqual({ kind: 'definition', of: 'message', name: 'messages[0]' });
    expect(select('const places')).toBeUndefined();
  });

  test('a part of a composite tool, an agent, and a tool of an agent', async () => {
    const notes = await play('file-notes');
    const whole = callOf(notes.state, 'notes');
    expect(notes.select("tool('read'")).toMatchObject({ kind: 'call', toolCallId: whole.toolCallId });
    const { state, select } = await play('newsroom');
    const last = state.agents.findLast(({ name }) => name === 'researcher')!;
    expect(select("'researcher',")).toMatchObject({ kind: 'call', toolCallId: last.toolCallId });
    expect(select("'searchArchive'")).toMatchObject({ kind: 'call', agent: expect.any(String) });
    expect(select('You are a researcher')).toEqual({
      kind: 'definition',
      of: 'system',
      name: 'role',
      agent: 'researcher',
    });
    const desk = await play('mail-desk');
    expect(desk.select('await classify(')).toMatchObject({
      kind: 'step',
      step: 0,
      agent: expect.any(String),
    });
  });
});

describe('the cost of a line', () => {
  test('calls with their time, tokens, and both in a sentence', async () => {
    const { source, lines, shown, state } = await play('trip-planner');
    const costs = costsOfLines(lines.definitions, shown);
    const found = state.toolCalls.filter((call) => call.toolName === 'findPlaces');
    const at = (text: string) => costs.get(lineOf(source, text));
    expect(at("'findPlaces'")).toBeUndefined();
    expect(costs.get(lineOf(source, "'findPlaces'") - 1)).toEqual({
      label: expect.stringMatching(new RegExp(`^${found.length}× (<1|\\d+) ms$`)),
      title: expect.stringMatching(
        /^findPlaces: \d calls, (<1|\d+) ms in all · \d+ tokens of the request \(estimated\)$/,
      ),
    });
    expect(at("def('TRAVELLER'")).toEqual({
      label: '7 tok',
      title: 'TRAVELLER: 7 tokens of the request (estimated)',
    });
    expect(at('prompt.$`')?.title).toMatch(/^Message 1: \d+ tokens of the request \(estimated\)$/);
    expect(at('const places')).toBeUndefined();
  });

  test('a call that has not ended has no time', async () => {
    const { source, lines, state } = await play('weather');
    const ended = callOf(state, 'getWeather');
    const { ms: _ms, finishedAt: _finishedAt, ...running } = ended;
    const { startedAt: _startedAt, ...waiting } = running;
    const costsWith = (call: object) =>
      costsOfLines(lines.definitions, {
        state: { ...state, toolCalls: [call as typeof ended] },
        turn: 0,
        earlier: [],
        isPast: false,
      }).get(lineOf(source, "'getWeather'") - 1);
    for (const call of [waiting, running]) {
      expect(costsWith(call)?.label).toBe('1×');
      expect(costsWith(call)?.title).toMatch(/^getWeather: 1 call · \d+ tokens/);
    }
    expect(costsWith(ended)?.label).toMatch(/^1× .*s$/);
  });

  test('agents, parts of composite tools, settings and classifiers', async () => {
    const titles = async (id: string): Promise<string[]> => {
      const { lines, shown } = await play(id);
      return [...costsOfLines(lines.definitions, shown).values()].map(({ title }) =>
        title.replaceAll(/(<1|[\d.]+) m?s/g, '…').replaceAll(/\d+ tokens? of the request/g, '# tokens'),
      );
    };
    expect(await titles('newsroom')).toEqual([
      'role: # tokens (estimated)',
      'researcher: 2 calls, … in all · # tokens (estimated)',
      'researcher › role: # tokens (estimated)',
      'researcher › searchArchive: 2 calls, … in all · # tokens (estimated)',
      'researcher › Message 1: # tokens (estimated)',
      'writer: 1 call, … in all · # tokens (estimated)',
      'writer › role: # tokens (estimated)',
      'writer › FACTS: # tokens (estimated)',
      'writer › Message 1: # tokens (estimated)',
      'Message 1: # tokens (estimated)',
    ]);
    expect(await titles('file-notes')).toContain('notes.read: 2 calls, … in all');
    expect(await titles('cafe-name')).toEqual([
      'System prompt: # tokens (estimated)',
      'Message 1: # tokens (estimated)',
    ]);
    expect(await titles('mail-desk')).toContain('classify: 4 calls, … in all');
  });
});

test('after an edit, unchanged lines keep their definitions, and changed lines lose them', async () => {
  const { source, lines } = await play('weather');
  const edited = `// one more\n${source}`.replace('friendly local', 'sailor').replaceAll('\n', '\r\n');
  const moved = moveLines(lines, source, edited);
  expect(moveLines(lines, source, source)).toBe(lines);
  expect(moved.promptLine).toBe(lines.promptLine! + 1);
  expect(moved.definitions.map(({ name, line }) => [name, line])).toEqual(
    lines.definitions.filter(({ name }) => name !== 'role').map(({ name, line }) => [name, line + 1]),
  );
  const other = Array.from({ length: 2_000 }, (_, index) => `line ${index}`).join('\n');
  expect(moveLines(lines, source, other).definitions).toEqual([]);
});

test('the text supplies the lines if the page has no run, and the run supplies them if it has one', async () => {
  const { source, lines, made } = await play('memory');
  expect(linesOfRun(source, []).definitions).toEqual(lines.definitions);
  const [first] = made;
  expect(linesOfRun(source, [{ ...first!, line: 3 }]).definitions).toEqual([
    { ...first, line: 3, lastLine: 3 },
  ]);
});

test('the text supplies the lines of an agent that has not run in the page', async () => {
  const { source, lines, made } = await play('newsroom');
  const own = made.filter(({ agent }) => agent === undefined);
  const ofAgents = linesOfRun(source, []).definitions.filter(({ agent }) => agent !== undefined);
  expect(ofAgents).not.toEqual([]);
  expect(linesOfRun(source, own).definitions).toEqual(expect.arrayContaining(ofAgents));
  expect(linesOfRun(source, made)).toEqual(lines);
});
