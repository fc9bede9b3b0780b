import type { ModelMessage } from 'ai';
import { CuelineError } from '../../base/errors.ts';
import { scriptError } from '../../base/script-error.ts';
import type { Ending } from '../../engine/ending.ts';
import type {
  Feedback,
  LoopPolicy,
  LoopPolicyContext,
  PolicyPast,
  PolicyStep,
} from '../../engine/loop-policy.ts';
import type { LanguageModelObject } from '../../models/settings.ts';
import { Conversation } from '../conversation.ts';
import { recordToolCalls, type CallTrace } from '../record-tool-calls.ts';
import type { AgentConfig } from './agent-config.ts';
import { exceptionMessage, FINAL_ANSWER, interruptMessage } from './call-messages.ts';
import {
  eventOf,
  initialCallState,
  isEnd,
  mayCallTools,
  noCounts,
  transition,
  type CallCounters,
  type CallEvent,
  type CallState,
} from './call-state.ts';
import { callLimits } from './check-agent.ts';
import { withoutCalls } from './drop-tool-calls.ts';
import { readAnswer, type Answer, type CallStep, type OutputReader } from './read-answer.ts';

/** The end of an agent call. */
export type CallReport = {
  /** The call's state when it ended, and the event that ended it. */
  readonly state: CallState;
  readonly event: CallEvent;
  readonly done: boolean;
  readonly counters: CallCounters;
  readonly value: unknown;
  /** The error of a call that is not done, if known. */
  readonly error: CuelineError | undefined;
  /** The whole conversation, without unusable answers. */
  readonly messages: readonly ModelMessage[];
  readonly calls: readonly CallTrace[];
  /** The provider's metadata of the answer. */
  readonly providerMetadata: unknown;
};

/**
 * Controls one agent call: each answer is an event, the table of transitions decides what follows, and unusable
 * answers leave the conversation as soon as there is a usable one. Calls `onEnd` once, with the end.
 */
export class CallPolicy implements LoopPolicy {
  readonly cause = 'call';
  readonly calls: LoopPolicy['calls'] & object = { failsOnRefusal: true };
  readonly #config: AgentConfig;
  readonly #limits: ReturnType<typeof callLimits>;
  readonly #reader: OutputReader;
  readonly #secrets: readonly string[];
  readonly #onEnd: ((report: CallReport) => void) | undefined;
  readonly #trace: ReturnType<typeof recordToolCalls>;
  readonly #conversation: Conversation;
  /** Tools that the last answer called although tool calls are no longer allowed. */
  readonly #refused = new Set<string>();
  #state: CallState;
  #counters = noCounts;
  /** The last event, and the state before it. */
  #last: Pick<CallReport, 'state' | 'event'>;
  #value: unknown;
  #error: CuelineError | undefined;
  #providerMetadata: unknown;
  /** The number of calls before the step. */
  #called = 0;

  constructor(
    { agentContext, messages }: LoopPolicyContext,
    config: AgentConfig,
    reader: OutputReader,
    onEnd?: (report: CallReport) => void,
  ) {
    this.#config = config;
    this.#limits = callLimits(config);
    this.#reader = reader;
    this.#secrets = agentContext.runContext.secrets;
    this.#onEnd = onEnd;
    this.#trace = recordToolCalls(agentContext);
    this.#conversation = new Conversation(messages);
    this.#state = initialCallState(this.#limits);
    this.#last = { state: this.#state, event: 'aborted' };
  }

  model(model: LanguageModelObject): LanguageModelObject {
    return withoutCalls(model, () => !mayCallTools(this.#state), this.#refused);
  }

  async takeOver({ turns, open, ended }: PolicyPast): Promise<void> {
    const last = ended ? turns.at(-1) : undefined;
    for (const turn of turns) {
      const { received, result, feedback, isPaused } = turn;
      this.#conversation.next({ messages: received, steered: received.length });
      const { messages } = result.response;
      const isSilent = result.text.trim() === '' && result.toolCalls.length === 0;
      if (isPaused && turn !== last) this.#conversation.addAnswer(messages);
      else if (feedback?.corrects === true) {
        this.#take('unreadable');
        this.#conversation.addUnusableAnswer(isSilent ? [] : messages);
      } else if (turn === last) await this.#afterAnswer(result);
      else {
        this.#take('called');
        this.#conversation.addAnswer(messages);
      }
      this.#conversation.setFeedback(feedback?.text);
    }
    if (open === undefined) return;
    this.#conversation.next({ messages: open.received, steered: open.received.length });
    this.#called = this.#trace.calls.length - open.result.toolCalls.length;
  }

  async beforeStep(step: PolicyStep): ReturnType<NonNullable<LoopPolicy['beforeStep']>> {
    this.#called = this.#trace.calls.length;
    const messages = this.#conversation.next(step);
    return {
      ...(messages === undefined ? {} : { messages }),
      ...(mayCallTools(this.#state) ? {} : { toolChoice: 'none' }),
    };
  }

  paused({ response }: CallStep): boolean {
    // the call continues from here once it has the responses, in whatever state
    this.#conversation.addAnswer(response.messages);
    return true;
  }

  async afterStep(step: CallStep): Promise<Feedback | undefined> {
    try {
      const text = await this.#afterAnswer(step);
      this.#conversation.setFeedback(text);
      const corrects = this.#state === 'correcting' || this.#state === 'final_correcting';
      return text === undefined ? undefined : { text, corrects };
    } catch (thrown) {
      // the handler failed, so there is no message to the model and no way to continue
      this.#take('broken');
      this.#error = scriptError(`Agent "${this.#config.name}"`, thrown);
      return undefined;
    }
  }

  done(): boolean {
    return isEnd(this.#state);
  }

  result(): ReturnType<NonNullable<LoopPolicy['result']>> {
    if (this.#state === 'done') return { output: this.#value };
    return { error: this.#error ?? endedEarlyError(this.#config.name) };
  }

  ended(ending: Ending): void {
    this.#endFromOutside(ending);
    this.#trace.end();
    const done = this.#state === 'done' && ending.outcome === 'done';
    this.#onEnd?.({
      ...this.#last,
      done,
      counters: this.#counters,
      value: this.#value,
      error: done ? undefined : (ending.error ?? this.#error),
      messages: this.#conversation.messages,
      calls: this.#trace.calls,
      providerMetadata: this.#providerMetadata,
    });
  }

  #take(event: CallEvent): void {
    this.#last = { state: this.#state, event };
    const next = transition(this.#state, event, this.#counters, this.#limits);
    this.#state = next.state;
    this.#counters = next.counters;
  }

  /** Returns the message to the model about an answer, if any. */
  async #afterAnswer(step: CallStep): Promise<string | undefined> {
    const { name, onException } = this.#config;
    const answer = await readAnswer(step, this.#reader, this.#refused, this.#secrets);
    const { event, issue } = answer;
    this.#take(event);
    const { messages } = step.response;
    if (this.#state === 'failed') {
      this.#error =
        event === 'waiting'
          ? unansweredCallError(name)
          : unusableAnswersError(name, this.#counters.failures, answer);
      return undefined;
    }
    if (issue !== undefined) {
      // an empty answer cannot be sent back
      this.#conversation.addUnusableAnswer(event === 'silent' ? [] : messages);
      const attempt = this.#counters.exceptions;
      return exceptionMessage(name, onException, { error_message: issue, text: step.text, attempt });
    }
    this.#conversation.addAnswer(messages);
    if (this.#state !== 'done') return this.#afterCalls();
    this.#value = answer.value;
    this.#providerMetadata = step.providerMetadata;
    return undefined;
  }

  async #afterCalls(): Promise<string | undefined> {
    const { interrupts } = this.#counters;
    const feedback = await interruptMessage(this.#config.name, this.#config.onInterrupt, {
      call_results: this.#trace.calls.slice(this.#called),
      interrupt: interrupts,
      remaining: this.#limits.maxInterrupts - interrupts,
    });
    if (this.#state !== 'final') return feedback;
    return feedback === undefined ? FINAL_ANSWER : `${feedback}\n\n${FINAL_ANSWER}`;
  }

  #endFromOutside({ outcome, error }: Ending): void {
    if (isEnd(this.#state)) return;
    if (outcome === 'stopped') this.#take('aborted');
    else if (outcome === 'waiting') this.#take('waiting');
    else this.#take(error === undefined ? 'limit' : eventOf(error));
    this.#error ??= error ?? (outcome === 'waiting' ? unansweredCallError(this.#config.name) : undefined);
  }
}

function unusableAnswersError(name: string, answers: number, { issue, cause }: Answer): CuelineError {
  const attempts = answers === 1 ? 'in its only attempt' : `in ${answers} attempts`;
  return new CuelineError(
    'parse_failed',
    `Agent "${name}" gave no valid answer ${attempts}. Try another model, or ask for a simpler answer. The problem with the last answer: ${issue}`,
    cause === undefined ? {} : { cause },
  );
}

/** Returns the error for a tool call that will get no result. */
function unansweredCallError(name: string): CuelineError {
  return new CuelineError(
    'script_error',
    `A tool call of agent "${name}" waits for an answer, but its tool has no function. Give the tool a function. If its calls need an approval, define it with { needsApproval: true }.`,
  );
}

function endedEarlyError(name: string): CuelineError {
  return new CuelineError(
    'budget_exceeded',
    `The call of agent "${name}" ended before it had an answer. Its options.stopWhen may stop it too early.`,
  );
}
