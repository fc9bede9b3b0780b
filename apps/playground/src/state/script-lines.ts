import { create } from 'zustand';
import type { DefinitionLine } from '../sandbox/script/definition.ts';

/** The sessions whose lines are kept. */
const MAX_SESSIONS = 20;
/** The lines of one session; the turns after the first usually make the same definitions. */
const MAX_LINES = 2_000;
/** Definitions arrive one by one, and are shown together. */
const PAUSE = 50;

type ScriptLines = {
  /** The lines on which the scripts of these sessions made definitions, by the session's id. */
  bySession: Readonly<Record<string, readonly DefinitionLine[]>>;
};

/** Which line of a script made each definition of a session that ran in this page. */
export const useScriptLines = create<ScriptLines>()(() => ({ bySession: {} }));

const known = new Map<string, { keys: Set<string>; lines: DefinitionLine[] }>();
let timer: ReturnType<typeof setTimeout> | undefined;

/** Keeps a definition that a session's script has just made. */
export function addDefinition(sessionId: string, definition: DefinitionLine): void {
  let session = known.get(sessionId);
  if (session === undefined) known.set(sessionId, (session = { keys: new Set(), lines: [] }));
  const { of, name, agent, line } = definition;
  const key = JSON.stringify([of, name, agent, line]);
  if (session.keys.has(key) || session.keys.size >= MAX_LINES) return;
  session.keys.add(key);
  session.lines.push(definition);
  timer ??= setTimeout(publish, PAUSE);
}

function publish(): void {
  timer = undefined;
  for (const id of [...known.keys()].slice(0, -MAX_SESSIONS)) known.delete(id);
  const { bySession } = useScriptLines.getState();
  const next: Record<string, readonly DefinitionLine[]> = {};
  for (const [id, { lines }] of known) {
    const shown = bySession[id];
    next[id] = shown?.length === lines.length ? shown : [...lines];
  }
  useScriptLines.setState({ bySession: next });
}
