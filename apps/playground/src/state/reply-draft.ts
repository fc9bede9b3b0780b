import { create } from 'zustand';
import { createViewMemory } from './storage.ts';
import type { RunSource, View } from './store.ts';

/** A view with a run, and so with a conversation. */
export type RunView = Exclude<View, 'evals'>;

type TurnOf = { readonly id: string; readonly turn: number };

/** The text of the reply box, or of a reply that was sent but not stored yet, with the turn that it started. */
export type ReplyDraft = { readonly text: string; readonly sentAs: TurnOf | undefined };

/** The longest reply that is remembered, in characters: a tab may store about 5 million. */
const MAX_TEXT_LENGTH = 1_000_000;

const nothing: ReplyDraft = { text: '', sentAs: undefined };

const memory = createViewMemory('cueline:reply');

/** The reply that the user is writing in each view, which survives a reload of the tab. */
export const useReplyDraft = create<Record<RunView, ReplyDraft>>()(() => ({
  script: { text: readText('script'), sentAs: undefined },
  prompts: { text: readText('prompts'), sentAs: undefined },
}));

useReplyDraft.subscribe((now, before) => {
  for (const view of ['script', 'prompts'] as const) {
    const { text } = now[view];
    if (text === before[view].text) continue;
    memory.write(view, text === '' || text.length > MAX_TEXT_LENGTH ? undefined : text);
  }
});

/** The view that runs such a source. */
export function viewOf(source: RunSource): RunView {
  return 'script' in source ? 'script' : 'prompts';
}

/** Sets the text of the reply box. */
export function writeReply(view: RunView, text: string): void {
  useReplyDraft.setState({ [view]: { text, sentAs: undefined } });
}

/** Clears the reply box. A reload restores the text until {@link forgetSentReply}. */
export function markReplySent(view: RunView, text: string, sentAs: TurnOf): void {
  useReplyDraft.setState({ [view]: { text, sentAs } });
}

/** Removes a sent reply if it started this turn or an earlier one: the turn is stored. */
export function forgetSentReply({ id, turn }: TurnOf): void {
  for (const view of ['script', 'prompts'] as const) {
    const { sentAs } = useReplyDraft.getState()[view];
    if (sentAs?.id === id && sentAs.turn <= turn) useReplyDraft.setState({ [view]: nothing });
  }
}

/** Removes a text that a reload restored, if it equals this one, which is stored with its run. */
export function forgetReply(view: RunView, stored: string): void {
  if (useReplyDraft.getState()[view].text !== stored) return;
  useReplyDraft.setState({ [view]: nothing });
}

function readText(view: RunView): string {
  const text = memory.read(view);
  return typeof text === 'string' && text.length <= MAX_TEXT_LENGTH ? text : '';
}
