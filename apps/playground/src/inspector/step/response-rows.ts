import type { RunEvent } from '@cueline/core';
import type { FilePart } from '../../transcript/transcript-item.ts';

/** One part of a model's response, in the order in which they began. `t` is when, since the run's start. */
export type ResponseRow = {
  key: string;
  t: number;
  /** True for a part of a failed attempt, which does not count as part of the answer. */
  isVoid: boolean;
} & (
  | { kind: 'text' | 'reasoning'; text: string }
  | { kind: 'call'; toolCallId: string; toolName: string }
  | { kind: 'source'; title: string }
  | { kind: 'file'; file: FilePart }
  | { kind: 'custom'; name: string }
);

/** A row while the events are read: its deltas are joined once, at the end. */
type Draft = { row: ResponseRow; pieces: string[] };

/** Reads a step's events as the response of the model. `lastOutputAt` is when its last part arrived. */
export function readResponse(events: readonly RunEvent[]): {
  rows: readonly ResponseRow[];
  lastOutputAt: number | undefined;
} {
  const drafts: Draft[] = [];
  const open = new Map<string, Draft>();
  let lastOutputAt: number | undefined;
  const add = (row: ResponseRow, id?: string): void => {
    const draft = { row, pieces: [] };
    drafts.push(draft);
    if (id !== undefined) open.set(id, draft);
  };
  for (const event of events) {
    const facts = { key: String(event.seq), t: event.t, isVoid: false };
    switch (event.type) {
      case 'text-start':
        add({ ...facts, kind: 'text', text: '' }, `text ${event.id}`);
        break;
      case 'reasoning-start':
        add({ ...facts, kind: 'reasoning', text: '' }, `reasoning ${event.id}`);
        break;
      case 'text-delta':
        open.get(`text ${event.id}`)?.pieces.push(event.text);
        break;
      case 'reasoning-delta':
        open.get(`reasoning ${event.id}`)?.pieces.push(event.text);
        break;
      case 'tool-input-start':
        add(
          { ...facts, kind: 'call', toolCallId: event.toolCallId, toolName: event.toolName },
          `call ${event.toolCallId}`,
        );
        break;
      case 'tool-input-end':
        // a provider may send the arguments at once
        if (!open.delete(`call ${event.toolCallId}`)) {
          add({ ...facts, kind: 'call', toolCallId: event.toolCallId, toolName: event.toolName });
        }
        break;
      case 'source':
        add({ ...facts, kind: 'source', title: titleOf(event.source) });
        break;
      case 'file':
        add({ ...facts, kind: 'file', file: { mediaType: event.mediaType, url: event.url } });
        break;
      case 'custom':
        add({ ...facts, kind: 'custom', name: event.kind });
        break;
      case 'retry':
        if (event.attempt === undefined) for (const { row } of drafts) row.isVoid = true;
        open.clear();
        break;
      default:
    }
    if (isOutput.test(event.type)) lastOutputAt = event.t;
  }
  const rows = drafts.map(({ row, pieces }) =>
    row.kind === 'text' || row.kind === 'reasoning' ? { ...row, text: pieces.join('') } : row,
  );
  return { rows, lastOutputAt };
}

/** The types of the model's own events. */
const isOutput = /^(?:text|reasoning|tool-input)-|^(?:source|file|custom)$/;

function titleOf(source: Extract<RunEvent, { type: 'source' }>['source']): string {
  return source.sourceType === 'url' ? (source.title ?? source.url) : source.title;
}
