import { CuelineError } from '../base/errors.ts';
import { isRecord } from '../base/is-record.ts';
import type { ScriptedPart, ScriptedTurn } from './script.ts';

const kinds = ['text', 'reasoning', 'toolCall', 'error', 'throw', 'finish'] as const;
const reasons = ['stop', 'length', 'content-filter', 'tool-calls', 'error', 'interrupted', 'other'];

/** Returns the turns with every shorthand expanded. Throws `invalid_options` with the path of the fault. */
export function validateTurns(turns: readonly ScriptedTurn[]): ScriptedPart[][] {
  if (!Array.isArray(turns)) throw invalidTurnError('turns', 'must be a list of turns');
  return turns.map((turn: unknown, index) => {
    const path = `turns[${index}]`;
    if (typeof turn === 'string') return [{ text: turn }];
    if (!Array.isArray(turn)) throw invalidTurnError(path, 'must be a string or a list of parts');
    return turn.map((part: unknown, at) => validatePart(part, `${path}[${at}]`, at === turn.length - 1));
  });
}

function validatePart(part: unknown, path: string, last: boolean): ScriptedPart {
  if (typeof part === 'string') return { text: part };
  if (!isRecord(part)) throw invalidTurnError(path, 'must be a string or an object');
  const present = kinds.filter((kind) => kind in part);
  const { delay } = part;
  if (delay !== undefined && !isAmount(delay))
    throw invalidTurnError(`${path}.delay`, 'must be milliseconds, 0 or more');
  if (present.length > 1)
    throw invalidTurnError(path, `has ${present.join(' and ')}, but a part is one thing`);
  const [kind] = present;
  if (kind === undefined && delay === undefined) {
    throw invalidTurnError(path, `is empty. A part has one of ${kinds.join(', ')}, or a delay`);
  }
  const known = new Set<string>(['delay', 'chunkSize', ...(kind === undefined ? [] : [kind])]);
  const unknown = Object.keys(part).find((key) => !known.has(key));
  if (unknown !== undefined) throw invalidTurnError(path, `has an unknown property "${unknown}"`);
  if (part['chunkSize'] !== undefined && !(isAmount(part['chunkSize']) && part['chunkSize'] >= 1)) {
    throw invalidTurnError(`${path}.chunkSize`, 'must be a number of characters, 1 or more');
  }
  if (kind !== undefined) validateKind(kind, part[kind], path, last);
  return part as ScriptedPart;
}

function validateKind(kind: (typeof kinds)[number], value: unknown, path: string, last: boolean): void {
  if ((kind === 'text' || kind === 'reasoning') && typeof value !== 'string') {
    throw invalidTurnError(`${path}.${kind}`, 'must be a string');
  }
  if (
    kind === 'toolCall' &&
    !(isRecord(value) && typeof value['name'] === 'string' && value['name'] !== '')
  ) {
    throw invalidTurnError(`${path}.toolCall`, 'must be { name, input }');
  }
  if (
    kind === 'throw' &&
    typeof value !== 'string' &&
    !(isRecord(value) && typeof value['message'] === 'string')
  ) {
    throw invalidTurnError(`${path}.throw`, 'must be a message, or { message, status? }');
  }
  if (kind === 'throw' && !path.endsWith('[0]')) {
    throw invalidTurnError(
      path,
      'comes after other parts, but "throw" fails the call before it streams. Use "error"',
    );
  }
  if (
    kind === 'finish' &&
    !(isRecord(value) && (value['reason'] === undefined || reasons.includes(value['reason'] as string)))
  ) {
    throw invalidTurnError(`${path}.finish.reason`, `must be one of ${reasons.join(', ')}`);
  }
  if ((kind === 'finish' || kind === 'error' || kind === 'throw') && !last) {
    throw invalidTurnError(path, `ends its turn, but more parts follow "${kind}"`);
  }
}

function invalidTurnError(path: string, problem: string): CuelineError {
  return new CuelineError('invalid_options', `Scripted model: ${path} ${problem}.`, { details: { path } });
}

function isAmount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
