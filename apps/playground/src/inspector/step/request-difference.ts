import type { CompiledRequest, RequestTool } from '@cueline/core';
import type { ModelMessage } from 'ai';
import { diffArrays } from 'diff';
import { isSameJson } from '../../input/same-json.ts';
import { instructionPartsOf } from '../../request/instruction-segments.ts';

/** An addition, a removal or a change. */
export type Change<Value> =
  | { change: 'added'; after: Value }
  | { change: 'removed'; before: Value }
  | { change: 'changed'; before: Value; after: Value };

/** A definition of the system prompt that differs from the step before. */
export type DefinitionChange = Change<string> & { kind: 'variable' | 'system'; name: string };

/** The difference between two requests. */
export type RequestDifference = {
  model: Change<string> | undefined;
  /** The whole system prompts, if they differ. */
  instructions: { before: string; after: string } | undefined;
  definitions: readonly DefinitionChange[];
  messages: readonly Change<ModelMessage>[];
  /** How many messages are the same. */
  sameMessages: number;
  tools: readonly (Change<RequestTool> & { name: string })[];
  /** The names of the tools that both requests have, if they are in another order. */
  toolOrder: { before: readonly string[]; after: readonly string[] } | undefined;
  settings: readonly (Change<unknown> & { name: string })[];
};

/** Conversations that differ by more, or that take longer to compare, count as replaced. */
const LIMITS = { maxEditLength: 400, timeout: 50 };

/** Compares the requests of two steps. */
export function compareRequests(before: CompiledRequest, after: CompiledRequest): RequestDifference {
  const { changes, same } = compareMessages(before.messages, after.messages);
  const isSameText = before.instructions === after.instructions;
  return {
    model:
      before.model === after.model
        ? undefined
        : { change: 'changed', before: before.model, after: after.model },
    instructions: isSameText ? undefined : { before: before.instructions, after: after.instructions },
    definitions: isSameText ? [] : compareDefinitions(before, after),
    messages: changes,
    sameMessages: same,
    tools:
      before.tools === after.tools
        ? []
        : compareNamed(
            before.tools.map((tool) => [tool.name, tool]),
            after.tools.map((tool) => [tool.name, tool]),
          ),
    toolOrder: compareOrder(
      before.tools.map(({ name }) => name),
      after.tools.map(({ name }) => name),
    ),
    settings: compareNamed(Object.entries(before.settings), Object.entries(after.settings), isSameJson),
  };
}

/** True if two requests do not differ in anything. */
export function isSameRequest(difference: RequestDifference): boolean {
  const { model, instructions, messages, tools, toolOrder, settings } = difference;
  return (
    model === undefined &&
    instructions === undefined &&
    toolOrder === undefined &&
    messages.length + tools.length + settings.length === 0
  );
}

type Named<Value> = readonly (readonly [name: string, value: Value])[];

function compareNamed<Value>(
  before: Named<Value>,
  after: Named<Value>,
  isSame: (one: Value, other: Value) => boolean = isSameText,
): (Change<Value> & { name: string })[] {
  const [old, now] = [new Map(before), new Map(after)];
  const changes: (Change<Value> & { name: string })[] = [];
  for (const [name, value] of old)
    if (!now.has(name)) changes.push({ name, change: 'removed', before: value });
  for (const [name, value] of now) {
    const known = old.get(name);
    if (known === undefined) changes.push({ name, change: 'added', after: value });
    else if (known !== value && !isSame(known, value)) {
      changes.push({ name, change: 'changed', before: known, after: value });
    }
  }
  return changes;
}

/** True for equal JSON with its members in the same order, in which the model gets them. */
function isSameText(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function compareOrder(before: readonly string[], after: readonly string[]): RequestDifference['toolOrder'] {
  const [old, now] = [new Set(before), new Set(after)];
  const order = {
    before: before.filter((name) => now.has(name)),
    after: after.filter((name) => old.has(name)),
  };
  return isSameText(order.before, order.after) ? undefined : order;
}

function compareDefinitions(before: CompiledRequest, after: CompiledRequest): DefinitionChange[] {
  // a kind contains no space, so each pair has its own key
  const textsOf = (request: CompiledRequest): Named<string> =>
    instructionPartsOf(request).map(({ kind, name, start, end }) => [
      `${kind} ${name}`,
      request.instructions.slice(start, end),
    ]);
  return compareNamed(textsOf(before), textsOf(after)).map(({ name: key, ...change }) => {
    const kind = key.startsWith('variable ') ? 'variable' : 'system';
    return { ...change, kind, name: key.slice(kind.length + 1) };
  });
}

type Messages = readonly ModelMessage[];

function compareMessages(
  before: Messages,
  after: Messages,
): { changes: Change<ModelMessage>[]; same: number } {
  // steps share the messages that they have in common, so most need no comparison
  let first = 0;
  while (first < before.length && first < after.length && before[first] === after[first]) first += 1;
  const [old, now] = [before.slice(first), after.slice(first)];
  const pieces = diffArrays(old.map(keyOf), now.map(keyOf), LIMITS) ?? [
    { count: old.length, removed: true, added: false },
    { count: now.length, removed: false, added: true },
  ];
  const changes: Change<ModelMessage>[] = [];
  let [fromOld, fromNow, same] = [0, 0, first];
  let removed: Messages = [];
  const remove = (messages: Messages): void => {
    for (const before of messages) changes.push({ change: 'removed', before });
  };
  for (const { count, removed: isRemoved, added } of pieces) {
    if (isRemoved) {
      removed = old.slice(fromOld, (fromOld += count));
      continue;
    }
    const messages = now.slice(fromNow, (fromNow += count));
    if (added) {
      for (const change of paired(removed, messages)) changes.push(change);
    } else {
      remove(removed);
      fromOld += count;
      same += count;
    }
    removed = [];
  }
  remove(removed);
  return { changes, same };
}

/** Messages that replace others. If one replaces a message of the same role, that message counts as changed. */
function paired(removed: Messages, added: Messages): Change<ModelMessage>[] {
  const changes: Change<ModelMessage>[] = [];
  for (let index = 0; index < Math.max(removed.length, added.length); index += 1) {
    const [before, after] = [removed[index], added[index]];
    if (before !== undefined && before.role === after?.role)
      changes.push({ change: 'changed', before, after });
    else {
      if (before !== undefined) changes.push({ change: 'removed', before });
      if (after !== undefined) changes.push({ change: 'added', after });
    }
  }
  return changes;
}

function keyOf(message: ModelMessage): string {
  return JSON.stringify(message);
}
