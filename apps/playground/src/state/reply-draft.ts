import { create } from 'zustand';
import { createStorage } from './storage.ts';

/** A turn of a session. */
type TurnOf = { readonly id: string; readonly turn: number };

/** The text of the reply box, or of a reply that was sent but not stored yet, with the turn that it started. */
export type ReplyDraft = { readonly text: string; readonly sentAs: TurnOf | undefined };

const KEY = 'cueline:reply';
/** The longest reply that is remembered, in characters: a tab may store about 5 million. */
const MOST_TEXT = 1_000_000;

const nothing: ReplyDraft = { text: '', sentAs: undefined };

// the store of the script, which also writes at every keystroke, reports a full storage
const storage = createStorage<string>({ onProblem: () => {}, open: () => sessionStorage });

/** The reply that the user is writing, which survives a reload of the tab. */
export const useReplyDraft = create<ReplyDraft>()(() => ({ text: readText(), sentAs: undefined }));

useReplyDraft.subscribe(({ text }) => {
  if (text === '' || text.length > MOST_TEXT) storage.removeItem(KEY);
  else void storage.setItem(KEY, { state: text, version: 1 });
});

/** Sets the text of the reply box. */
export function writeReply(text: string): void {
  useReplyDraft.setState({ text, sentAs: undefined });
}

/** Clears the reply box. A reload restores the text until {@link forgetSentReply}. */
export function markReplySent(text: string, sentAs: TurnOf): void {
  useReplyDraft.setState({ text, sentAs });
}

/** Removes a sent reply if it started this turn or an earlier one: the turn is stored. */
export function forgetSentReply({ id, turn }: TurnOf): void {
  const { sentAs } = useReplyDraft.getState();
  if (sentAs?.id === id && sentAs.turn <= turn) useReplyDraft.setState(nothing);
}

/** Removes a text that a reload restored, if it equals this one, which is stored with its run. */
export function forgetReply(stored: string): void {
  if (useReplyDraft.getState().text === stored) useReplyDraft.setState(nothing);
}

function readText(): string {
  if (!('sessionStorage' in globalThis)) return '';
  const text: unknown = (storage.getItem(KEY) as { state?: unknown } | null)?.state;
  return typeof text === 'string' && text.length <= MOST_TEXT ? text : '';
}
