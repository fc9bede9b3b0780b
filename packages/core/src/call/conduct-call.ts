import type { CuelineError } from '../errors.ts';
import { scriptError } from '../script-error.ts';
import type { Conduct, Stage } from '../run/conduct.ts';
import type { Ending } from '../run/recorder.ts';
import type { AgentConfig } from './agent-config.ts';
import { callLimits } from './check-agent.ts';
import { endedEarly, nobodyAnswers, unusableAnswers } from './call-faults.ts';
import { eventOf } from './call-error.ts';
import type { CallReport } from './call-report.ts';
import { traceCalls } from './call-trace.ts';
import { exceptionWords, FINAL, interruptWords } from './call-words.ts';
import { createConversation } from './conversation.ts';
import { readAnswer, type CallStep } from './read-answer.ts';
import type { OutputReader } from './read-output.ts';
import { initialCallState, isEnd, mayCall, noCounts, transition, type CallEvent } from './transitions.ts';
import { withoutCalls } from './without-calls.ts';

/**
 * Conducts one agent call: each answer is an event, the table of transitions says what follows, and what could not be
 * used leaves the conversation as soon as something can. `onEnd` is told of the end, once.
 */
export function conductCall(
  config: AgentConfig,
  reader: OutputReader,
  { speaker, messages: opening }: Stage,
  onEnd: (report: CallReport) => void = () => {},
): Conduct {
  const { name } = config;
  const limits = callLimits(config);
  const trace = traceCalls(speaker.tree.log, speaker.path);
  const conversation = createConversation(opening);
  let state = initialCallState(limits);
  let counters = noCounts;
  let stopped: Pick<CallReport, 'state' | 'event'> = { state, event: 'aborted' };
  let value: unknown;
  let error: CuelineError | undefined;
  let providerMetadata: unknown;
  /** Tools that the last answer called although it may call none. */
  const refused = new Set<string>();
  /** How many calls had been made before the step. */
  let called = 0;

  function take(event: CallEvent): void {
    stopped = { state, event };
    ({ state, counters } = transition(state, event, counters, limits));
  }

  /** What the model is told of an answer, if anything. */
  async function afterAnswer(step: CallStep): Promise<string | undefined> {
    const answer = await readAnswer(step, { reader, refused, secrets: speaker.tree.secrets });
    const { event, fault } = answer;
    take(event);
    const { messages } = step.response;
    if (state === 'failed') {
      error = event === 'waiting' ? nobodyAnswers(name) : unusableAnswers(name, counters.failures, answer);
      return undefined;
    }
    if (fault !== undefined) {
      // an answer that says nothing is none that could be sent back
      conversation.unusable(event === 'silent' ? [] : messages);
      const exception = { error_message: fault, text: step.text, attempt: counters.exceptions };
      return exceptionWords(name, config.onException, exception);
    }
    conversation.good(messages);
    if (state !== 'done') return afterCalls();
    ({ value } = answer);
    ({ providerMetadata } = step);
    return undefined;
  }

  async function afterCalls(): Promise<string | undefined> {
    const { interrupts } = counters;
    const words = await interruptWords(name, config.onInterrupt, {
      call_results: trace.calls.slice(called),
      interrupt: interrupts,
      remaining: limits.maxInterrupts - interrupts,
    });
    if (state !== 'final') return words;
    return words === undefined ? FINAL : `${words}\n\n${FINAL}`;
  }

  /** What ends a call from outside of it. */
  function interrupted({ outcome, error: given }: Ending): void {
    if (isEnd(state)) return;
    if (outcome === 'stopped') take('aborted');
    else if (outcome === 'waiting') take('waiting');
    else take(given === undefined ? 'limit' : eventOf(given));
    error ??= given ?? (outcome === 'waiting' ? nobodyAnswers(name) : undefined);
  }

  return {
    cause: 'call',
    calls: { failsOnRefusal: true },
    model: (model) => withoutCalls(model, () => !mayCall(state), refused),
    async beforeStep({ messages, steered }) {
      called = trace.calls.length;
      const told = messages.slice(messages.length - steered);
      const sent = conversation.next(messages, told);
      return {
        ...(sent === messages ? {} : { messages: sent }),
        ...(mayCall(state) ? {} : { toolChoice: 'none' as const }),
      };
    },
    paused({ response }) {
      // it goes on from there once it has the answers, whatever the state
      conversation.good(response.messages);
      return true;
    },
    async afterStep(step) {
      try {
        const words = await afterAnswer(step);
        conversation.tell(words);
        const corrects = state === 'correcting' || state === 'final_correcting';
        return words === undefined ? undefined : { text: words, corrects };
      } catch (thrown) {
        // a handler's fault: nothing can be told to the model, so there is nothing to go on with
        take('broken');
        error = scriptError(`Agent "${name}"`, thrown);
        return undefined;
      }
    },
    done: () => isEnd(state),
    result() {
      if (state === 'done') return { output: value };
      return { error: error ?? endedEarly(name) };
    },
    ended(ending) {
      interrupted(ending);
      trace.end();
      const done = state === 'done' && ending.outcome === 'done';
      onEnd({
        ...stopped,
        done,
        counters,
        value,
        error: done ? undefined : (ending.error ?? error),
        messages: conversation.kept,
        calls: trace.calls,
        providerMetadata,
      });
    },
  };
}
