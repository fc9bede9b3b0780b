import type { ModelMessage } from 'ai';
import { CuelineError } from '../../base/errors.ts';
import { withoutUndefined } from '../../base/without-undefined.ts';
import type { LoopPolicy, RequestOptions } from '../../engine/loop-policy.ts';
import { answerWithin } from '../../engine/run-agent.ts';
import { transcriptText } from '../../messages/transcript-text.ts';
import type { AgentContext } from '../../tool-calls/run-context.ts';
import { tokensOf } from './estimate-context.ts';
import { repairMessages } from './repair-messages.ts';
import { CONTINUE } from './session-config.ts';
import type { SessionReporter } from './session-reporter.ts';

/** How much the estimate must grow before a failed summary is retried. */
const RETRY_GROWTH = 1.25;
/** The name of the agent that summarizes. */
const SUMMARIZE = 'summarize';
/** How many turns in a row may exceed the limit. */
const MAX_IN_A_ROW = 3;
/** How many times a conversation that is too long for its summary is halved. */
const MAX_HALVINGS = 4;

const instructions = `You are given the conversation of an agent at work. Your summary will take its place, so the agent goes on with nothing but that.

Keep: the task in the user's own terms, decisions and the reasons for them, facts and exact values that were found (names, numbers, paths, ids), what has been done and must not be done again, errors and what came of them, and what is still to be done, in order.
Leave out: greetings, and anything that is of no use for the rest of the work.

Answer with the summary alone.`;

/** The position of a turn in the conversation. */
export type TurnPosition = {
  turn: number;
  messages: readonly ModelMessage[];
  /** How many messages at the end belong to this turn, and are not summarized. */
  userMessages: number;
  /** Returns the estimated tokens of system prompt and tools. Called once. */
  frame(): Promise<number>;
};

/** Keeps a conversation below a limit of tokens by replacing earlier messages with a summary. */
export class Compaction {
  #tokenLimit: number;
  readonly #reporter: SessionReporter;
  /** Asks a model to summarize a text. */
  readonly #summarize: (transcript: string) => Promise<string>;
  /** A summary is due from this number of tokens on. */
  #due: number;
  #last = { turn: -Infinity, length: 0 };
  #inARow = 0;
  #frame: number | undefined;
  /** The provider's last token count, and the number of messages that it covers. */
  #counted: { tokens: number; length: number } | undefined;
  #isRefused = false;
  /** True while reports are suppressed, because another process has already made them. */
  #isTakingOver = false;

  constructor(
    tokenLimit: number,
    reporter: SessionReporter,
    summarize: (transcript: string) => Promise<string>,
  ) {
    this.#tokenLimit = this.#due = tokenLimit;
    this.#reporter = reporter;
    this.#summarize = summarize;
  }

  /** Reports the provider's token count of a turn. */
  counted(tokens: number | undefined, messages: readonly ModelMessage[]): void {
    // some providers report nothing, negative or enormous numbers, or texts
    if (!(typeof tokens === 'number' && tokens > 0 && tokens < 1e9)) return;
    // tool results arrived after the count
    const length = messages.length - (messages.at(-1)?.role === 'tool' ? 1 : 0);
    this.#counted = { tokens, length };
  }

  /**
   * Reports that the provider refused the conversation as too long, so it must be summarized regardless of the
   * count.
   */
  overflowed(): void {
    this.#isRefused = true;
  }

  /** Returns the messages to continue with, if a summary was due. */
  async before(position: TurnPosition): Promise<ModelMessage[] | undefined> {
    return this.#continue(position, (earlier, rest) => this.#replace(earlier, rest, position.turn));
  }

  /**
   * Takes over a turn of another process: `replacement` is what it continued with, if it had a summary. Returns the
   * messages of the turn, if they were replaced.
   */
  async takeOver(
    position: TurnPosition,
    replacement: readonly ModelMessage[] | undefined,
  ): Promise<ModelMessage[] | undefined> {
    this.#isTakingOver = true;
    const taken = await this.#continue(position, async (_earlier, rest) => {
      if (replacement === undefined) return undefined;
      // these are complete here, and may be shortened in the log
      return [...replacement.slice(0, replacement.length - rest.length), ...rest];
    });
    this.#isTakingOver = false;
    return taken;
  }

  async #continue(
    { turn, messages, userMessages: words, frame }: TurnPosition,
    replace: (
      earlier: readonly ModelMessage[],
      rest: readonly ModelMessage[],
    ) => Promise<ModelMessage[] | undefined>,
  ): Promise<ModelMessage[] | undefined> {
    this.#frame ??= await frame();
    const tokens = this.#estimate(messages, this.#frame);
    if (tokens <= this.#due && !this.#isRefused) return undefined;
    this.#isRefused = false;
    this.#inARow = turn - this.#last.turn <= 1 ? this.#inARow + 1 : 0;
    // without the messages since the summary
    const remaining = this.#inARow === 0 ? this.#frame : tokens - tokensOf(messages.slice(this.#last.length));
    if (remaining >= this.#tokenLimit) {
      return this.#raise(remaining, 'the system prompt, the tools and the messages after a summary take');
    }
    if (this.#inARow === MAX_IN_A_ROW) {
      return this.#raise(tokens, 'a summary and the single turn after it take');
    }
    const end = messages.length - words;
    const earlier = messages.slice(0, end);
    if (earlier.length === 0) return undefined;
    const next = await replace(earlier, messages.slice(end));
    if (next === undefined) {
      this.#due = tokens * RETRY_GROWTH;
      return undefined;
    }
    this.#counted = undefined;
    this.#due = this.#tokenLimit;
    this.#last = { turn, length: next.length };
    return next;
  }

  /** Returns the messages with a summary of the earlier ones; undefined without a summary. */
  async #replace(
    earlier: readonly ModelMessage[],
    rest: readonly ModelMessage[],
    turn: number,
  ): Promise<ModelMessage[] | undefined> {
    const summary = await this.#summaryOf(earlier, turn);
    if (summary === undefined) return undefined;
    const summarized = await this.#reporter.change('onAfterSummarize', [
      { role: 'user', content: 'Previous conversation summary:' },
      { role: 'assistant', content: summary },
    ]);
    const next = [...repairMessages(summarized, { whole: earlier }), ...rest];
    if (next.at(-1)?.role !== 'user') next.push({ role: 'user', content: CONTINUE });
    return next;
  }

  async #summaryOf(earlier: readonly ModelMessage[], turn: number): Promise<string | undefined> {
    const chosen = await this.#reporter.change('onBeforeSummarize', earlier);
    if (chosen.length === 0) return undefined;
    let transcript = transcriptText(chosen);
    for (let halvings = 0; ; halvings += 1) {
      try {
        return await this.#summarize(transcript);
      } catch (thrown) {
        const error = thrown as CuelineError;
        if (error.code !== 'context_overflow' || halvings === MAX_HALVINGS) {
          await this.#reporter.fail({ phase: 'summarize', error, turn: turn - 1 });
          return undefined;
        }
        transcript = halve(transcript);
      }
    }
  }

  /** Uses the provider's last count, and estimates what has come since. */
  #estimate(messages: readonly ModelMessage[], frame: number): number {
    if (this.#counted === undefined) return frame + tokensOf(messages);
    return this.#counted.tokens + tokensOf(messages.slice(this.#counted.length));
  }

  /** Raises the limit, because one summary after another would not help. */
  #raise(tokens: number, why: string): undefined {
    const before = this.#tokenLimit;
    this.#tokenLimit = this.#due = Math.ceil(tokens * 2);
    if (this.#isTakingOver) return undefined;
    this.#reporter.warn(
      `tokenLimit is ${before}, but ${why} about ${tokens} tokens. The session continues with a limit of ${this.#tokenLimit}. Raise tokenLimit, or shorten the system prompt.`,
    );
  }
}

/** Returns half of a transcript: its beginning, which has the task, and more of its end. */
function halve(transcript: string): string {
  const head = Math.floor(transcript.length / 8);
  const tail = Math.floor(transcript.length / 8) * 3;
  const halves = [transcript.slice(0, head), transcript.slice(transcript.length - tail)];
  // half a surrogate pair is not a text that providers accept
  const [start, end] = halves.map((half) => half.replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, ''));
  return `${start}\n\n[The middle of the conversation is left out, because it is too long.]\n\n${end}`;
}

/** Asks the session's model for summaries, each as an agent of its own in the session's log. */
export function createSummarizer(
  agentContext: AgentContext,
  calls: NonNullable<LoopPolicy['calls']>,
  { headers, providerOptions, telemetry }: RequestOptions,
  abortSignal: AbortSignal,
): (transcript: string) => Promise<string> {
  const { path, callBase } = agentContext;
  // a retried run has the summaries of the attempts before in its log, and each agent there has its own path
  const prefix = path === undefined ? `${SUMMARIZE}-${callBase.replaceAll('/', '-')}` : SUMMARIZE;
  // a summary of the next turn may have begun in another process
  let count = countSummaries(agentContext);
  // a summary belongs to the session, and is not an agent inside it
  const parent = { ...agentContext, depth: agentContext.depth - 1 };
  return async (transcript) => {
    count += 1;
    let text: string | undefined;
    const answer = await answerWithin(parent, {
      name: SUMMARIZE,
      toolCallId: `${prefix}-${count}`,
      input: { characters: transcript.length },
      messages: [{ role: 'user', content: transcript }],
      options: { instructions, ...withoutUndefined({ headers, providerOptions, telemetry }) },
      policySetup: {
        options: {},
        policy: () => ({
          cause: 'session',
          calls,
          afterStep(step) {
            ({ text } = step);
            return undefined;
          },
          result: () => ({ output: text }),
        }),
      },
      abortSignal,
    });
    if (typeof answer === 'string' && answer.trim() !== '') return answer;
    throw new CuelineError('parse_failed', 'The model returned an empty summary of the conversation.');
  };
}

/** Returns how many summaries have been asked for before those of the next turn. */
function countSummaries({ past }: AgentContext): number {
  const events = past?.events.slice(0, past.continuesFrom) ?? [];
  const paths = events.flatMap((event) =>
    event.type === 'agent-start' && event.agent === event.toolCallId && event.name === SUMMARIZE
      ? [event.agent]
      : [],
  );
  return new Set(paths).size;
}
