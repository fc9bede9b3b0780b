import { create } from 'zustand';
import { createStorage } from './storage.ts';
import type { RunSource } from './store.ts';

/** The part of the page whose conversation a reply belongs to. */
export type Conversation = 'script' | 'prompts';

/** A turn of a session. */
type TurnOf = { readonly id: string; readonly turn: number };

/** The text of the reply box, or of a reply that was sent but not stored yet, with the turn that it started. */
export type ReplyDraft = { readonly text: string; readonly sentAs: TurnOf | undefined };

const KEYS = { script: 'cueline:reply', prompts: 'cueline:reply:prompts' };
/** The longest reply that is remembered, in characters: a tab may store about 5 million. */
const MAX_TEXT_LENGTH = 1_000_000;

const nothing: ReplyDraft = { text: '', sentAs: undefined };

// the store of the script, which also writes at every keystroke, reports a full storage
const open = () => createStorage<string>({ onProblem: () => {}, open: () => sessionStorage });
// each writes its last value only
const storages = { script: open(), prompts: open() };

/** The reply that the user is writing in each conversation, which survives a reload of the tab. */
export const useReplyDraft = create<Record<Conversation, ReplyDraft>>()(() => ({
  script: { text: readText('script'), sentAs: undefined },
  prompts: { text: readText('prompts'), sentAs: undefined },
}));

useReplyDraft.subscribe((now, before) => {
  for (const conversation of ['script', 'prompts'] as const) {
    const { text } = now[conversation];
    if (text === before[conversation].text) continue;
    if (text === '' || text.length > MAX_TEXT_LENGTH) storages[conversation].removeItem(KEYS[conversation]);
    else void storages[conversation].setItem(KEYS[conversation], { state: text, version: 1 });
  }
});

/** The conversation of a run's source. */
export function conversationOf(source: RunSource): Conversation {
  return 'script' in source ? 'script' : 'prompts';
}

/** Sets the text of the reply box. */
export function writeReply(conversation: Conversation, text: string): void {
  useReplyDraft.setState({ [conversation]: { text, sentAs: undefined } });
}

/** Clears the reply box. A reload restores the text until {@link forgetSentReply}. */
export function markReplySent(conversation: Conversation, text: string, sentAs: TurnOf): void {
  useReplyDraft.setState({ [conversation]: { text, sentAs } });
}

/** Removes a sent reply if it started this turn or an earlier one: the turn is stored. */
export function forgetSentReply({ id, turn }: TurnOf): void {
  for (const conversation of ['script', 'prompts'] as const) {
    const { sentAs } = useReplyDraft.getState()[conversation];
    if (sentAs?.id === id && sentAs.turn <= turn) useReplyDraft.setState({ [conversation]: nothing });
  }
}

/** Removes a text that a reload restored, if it equals this one, which is stored with its run. */
export function forgetReply(conversation: Conversation, stored: string): void {
  if (useReplyDraft.getState()[conversation].text !== stored) return;
  useReplyDraft.setState({ [conversation]: nothing });
}

function readText(conversation: Conversation): string {
  if (!('sessionStorage' in globalThis)) return '';
  const text: unknown = (storages[conversation].getItem(KEYS[conversation]) as { state?: unknown } | null)
    ?.state;
  return typeof text === 'string' && text.length <= MAX_TEXT_LENGTH ? text : '';
}
