import { create } from 'zustand';
import type { DefinitionName } from '../sandbox/script/definition.ts';

/**
 * What is selected of the run that is shown. Transcript, inspector, timeline and editor all show the same selection.
 * `turn` counts the turns of the conversation from 0, and `agent` is the path of the agent; missing for the run itself.
 * A definition has the names of its agents there, since every call of an agent defines the same.
 */
export type Selection =
  | { kind: 'step'; turn: number; agent?: string | undefined; step: number }
  | { kind: 'call'; turn: number; agent?: string | undefined; step: number; toolCallId: string }
  | ({ kind: 'definition' } & DefinitionName);

/** A selected step, or a selected call of one. */
export type StepSelection = Exclude<Selection, { kind: 'definition' }>;

/** A moment of the conversation: its turn, and the `seq` of the last event that has happened. */
export type Moment = { readonly turn: number; readonly seq: number };

export type Inspection = {
  selection: Selection | undefined;
  /** The step or the call that was selected last. Selecting a definition does not change it. */
  lastStep: StepSelection | undefined;
  /** The moment that is shown; undefined for the run as it is now. */
  moment: Moment | undefined;
  /**
   * The time of that moment, in milliseconds since its turn started, where the scrubber or the playback chose one: it
   * may lie between two events.
   */
  time: number | undefined;
  /** True while the run plays: each moment follows the one before at its time. */
  playing: boolean;
  /** While the user drags the scrubber: the moment that was shown before. */
  scrub: { readonly from: Moment | undefined } | undefined;
  /** Selects something; the same again keeps the selection. */
  select(selection: Selection | undefined): void;
  /** Shows the run as it was at this moment, or as it is now. */
  goTo(moment: Moment | undefined, time?: number): void;
  /** Called when the user starts or stops dragging the scrubber. */
  dragScrubber(isDragged: boolean): void;
  /** Clears the selection and the moment, because another run is shown. */
  reset(): void;
};

/** What is selected of a run, and the moment at which it is shown. */
export const useInspection = create<Inspection>()((set, get) => ({
  selection: undefined,
  lastStep: undefined,
  moment: undefined,
  time: undefined,
  playing: false,
  scrub: undefined,
  select(selection) {
    if (selectionKey(selection) === selectionKey(get().selection)) return;
    set({ selection, ...(selection?.kind === 'definition' ? {} : { lastStep: selection }) });
  },
  goTo: (moment, time) => set({ moment, time }),
  dragScrubber(isDragged) {
    const { scrub, moment } = get();
    if (isDragged !== (scrub !== undefined)) set({ scrub: isDragged ? { from: moment } : undefined });
  },
  reset: () =>
    set({ selection: undefined, lastStep: undefined, moment: undefined, time: undefined, scrub: undefined }),
}));

/** A text that is the same for the same selection, also as the key of a row. */
export function selectionKey(selection: Selection | undefined): string {
  if (selection === undefined) return '';
  if (selection.kind === 'definition') {
    const { of, name, agent: agents } = selection;
    return `definition ${of} ${name}${agents === undefined ? '' : ` in ${agents}`}`;
  }
  const { turn, agent = '', step } = selection;
  const call = selection.kind === 'call' ? ` ${selection.toolCallId}` : '';
  return `${selection.kind} ${turn} ${step} ${agent}${call}`;
}

/** True if this is selected; re-renders only if that changes. */
export function useIsSelected(selection: Selection | undefined): boolean {
  const key = selectionKey(selection);
  return useInspection((state) => key !== '' && selectionKey(state.selection) === key);
}
