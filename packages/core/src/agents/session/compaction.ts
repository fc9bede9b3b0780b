import type { ModelMessage } from 'ai';
import { CuelineError } from '../../base/errors.ts';
import { createContextEstimate, tokensOf } from './estimate-context.ts';
import { CONTINUE } from './idle-reminder.ts';
import { repairMessages } from './repair-messages.ts';
import type { CallbackQueue } from './session-callbacks.ts';
import { transcriptText } from '../../messages/transcript-text.ts';

/** How much an estimate must have grown before a failed summary is tried again. */
const RETRY_GROWTH = 1.25;
/** How many turns in a row may exceed the limit. */
const MAX_IN_A_ROW = 3;

export type CompactionSettings = {
  tokenLimit: number;
  change: CallbackQueue['change'];
  /** Asks a model to summarize a text. */
  summarize(transcript: string): Promise<string>;
  onError(error: CuelineError): Promise<void>;
  warn(message: string): void;
};

/** The position of a turn in the conversation. */
export type TurnPosition = {
  turn: number;
  messages: readonly ModelMessage[];
  /** How many messages at the end belong to this turn, and are not summarized. */
  words: number;
  /** Returns the estimated tokens of system prompt and tools. Called once. */
  frame(): Promise<number>;
};

/** Keeps a conversation below a limit of tokens by replacing earlier messages with a summary. */
export type Compaction = {
  /** Reports the provider's token count of a turn. */
  counted(tokens: number | undefined, messages: readonly ModelMessage[]): void;
  /**
   * Reports that the provider refused the conversation as too long, so it must be summarized whatever was counted.
   */
  overflowed(): void;
  /** Returns the messages to continue with, if a summary was due. */
  before(place: TurnPosition): Promise<ModelMessage[] | undefined>;
};

export function createCompaction(settings: CompactionSettings): Compaction {
  const { change, summarize, onError, warn } = settings;
  const estimate = createContextEstimate();
  let { tokenLimit } = settings;
  /** A summary is due from this number of tokens on. */
  let due = tokenLimit;
  let last = { turn: -Infinity, length: 0 };
  let inARow = 0;
  let frame: number | undefined;
  let isRefused = false;

  /** Raises the limit, because one summary after another would not help. */
  function raise(tokens: number, why: string): void {
    const before = tokenLimit;
    tokenLimit = due = Math.ceil(tokens * 2);
    warn(
      `tokenLimit is ${before}, but ${why} about ${tokens} tokens already. It is ${tokenLimit} from here on. Raise it, or say less in the system prompt.`,
    );
  }

  return {
    counted(tokens, messages) {
      // the results of tools have come after the count
      const length = messages.length - (messages.at(-1)?.role === 'tool' ? 1 : 0);
      estimate.counted(tokens, length);
    },
    overflowed() {
      isRefused = true;
    },
    async before({ turn, messages, words, frame: frameOf }) {
      frame ??= await frameOf();
      const tokens = estimate.of(messages, frame);
      if (tokens <= due && !isRefused) return undefined;
      isRefused = false;
      inARow = turn - last.turn <= 1 ? inARow + 1 : 0;
      // without the messages since the summary
      const left = inARow === 0 ? frame : tokens - tokensOf(messages.slice(last.length));
      if (left >= tokenLimit) {
        raise(left, 'system prompt, tools and what a summary leaves take');
        return undefined;
      }
      if (inARow === MAX_IN_A_ROW) {
        raise(tokens, 'with a single turn after a summary it is');
        return undefined;
      }
      const end = messages.length - words;
      const said = messages.slice(0, end);
      if (said.length === 0) return undefined;
      const chosen = await change('onBeforeSummarize', said);
      if (chosen.length === 0) return void (due = tokens * RETRY_GROWTH);
      let summary: string;
      try {
        summary = await summarize(transcriptText(chosen));
      } catch (error) {
        due = tokens * RETRY_GROWTH;
        await onError(error as CuelineError);
        return undefined;
      }
      const summarized = await change('onAfterSummarize', [
        { role: 'user', content: 'Previous conversation summary:' },
        { role: 'assistant', content: summary },
      ]);
      const next = [...repairMessages(summarized, { whole: said }), ...messages.slice(end)];
      if (next.at(-1)?.role !== 'user') next.push({ role: 'user', content: CONTINUE });
      estimate.reset();
      due = tokenLimit;
      last = { turn, length: next.length };
      return next;
    },
  };
}

/** @throws CuelineError if the model returned no summary */
export function checkSummary(text: unknown): string {
  if (typeof text === 'string' && text.trim() !== '') return text;
  throw new CuelineError(
    'parse_failed',
    'The model was asked for a summary of the conversation, and gave an empty answer.',
  );
}
