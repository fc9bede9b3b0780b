import type { FinishReason } from 'ai';
import { checkNames } from '../base/check-names.ts';
import { CuelineError } from '../base/errors.ts';
import { parseJson } from '../json/parse-json.ts';
import type { RunEvent, RunEventBody } from '../log/events.ts';
import { checkIsLog } from '../wire/check-is-log.ts';
import { continuableEnds, continuableSteps, logBefore, numbered } from './keep-steps.ts';

/**
 * An edit of a step: another end of a tool call, or another text of the model. `agent` is the path of the agent whose
 * step it is; by default, it is the run's own.
 */
export type LogEdit = { step: number; agent?: string | undefined } & (
  | { toolCallId: string; output: unknown }
  | { toolCallId: string; error: string }
  | { text: string }
);

const editNames = ['step', 'agent', 'toolCallId', 'output', 'error', 'text'];

/** The events of one step, from its `step-start` to its `step-end`. */
type StepRange = { start: number; end: number };

/**
 * Returns a log up to the end of the step `edit.step`, with one thing in it replaced: a tool call's result or
 * error, or the text of the model's answer. The replaced events are marked as `edited`, everything else stays
 * as it is, and `log` stays unchanged. `createRun(definition, { log: edited }).retry({ from: edit.step + 1 })`
 * runs only what follows. After the last step of a finished run nothing follows: the result has the new text as
 * its answer.
 *
 * An edit of an agent's step needs a step of the agent after it. The log then ends before that step and keeps what the
 * other calls of the run's step have done; `retry()` without `from` continues the agent.
 *
 * Other effects of a call, such as changes to tasks, stay.
 * @throws CuelineError `invalid_options`
 */
export function editLog(log: readonly RunEvent[], edit: LogEdit): RunEvent[] {
  checkIsLog('editLog', log);
  checkNames('The edit', edit, editNames, 'invalid_options');
  if (edit.agent !== undefined) return editAgent(log, edit.agent, edit);
  const index = findStep(log, edit.step);
  const next = continuableEnds(log).find((end) => end.next === edit.step + 1);
  const continues = next !== undefined;
  if (index === undefined || (!continues && !isLastOfDone(log, index))) {
    throw editRefusedError(
      `Step ${edit.step} cannot be edited: it is incomplete, or the run does not continue after it.`,
    );
  }
  const feedback = next?.feedback ?? [];
  const before = log.slice(0, index.start);
  const step = log.slice(index.start, (next?.index ?? index.end) + 1);
  const written = editStep(step, edit, feedback).flat();
  const end = continues ? stopped : doneWith(log, step.at(-1)!, 'text' in edit ? edit.text : undefined);
  const t = (feedback.at(-1) ?? log[index.end]!).t;
  return numbered([...before, ...written, ...feedback, { ...end, seq: 0, t }]);
}

function editAgent(log: readonly RunEvent[], agent: string, edit: LogEdit): RunEvent[] {
  const start = log.findLastIndex((event) => event.type === 'agent-start' && event.agent === agent);
  const indexes = log.flatMap((event, index) => (index >= start && event.agent === agent ? [index] : []));
  const own = indexes.map((index): RunEvent => {
    const { agent: _agent, ...event } = log[index]!;
    return event;
  });
  const found = findStep(own, edit.step);
  const next = continuableEnds(own).find((end) => end.next === edit.step + 1);
  if (found === undefined || next === undefined || !continuableSteps(log, agent).includes(next.next)) {
    throw editRefusedError(
      `Step ${edit.step} of the agent ${agent} cannot be edited, because the agent cannot continue after it. Edit the result of the call that it answers.`,
    );
  }
  const step = own.slice(found.start, found.end + 1);
  const written = new Map(
    editStep(step, edit, next.feedback).map((events, index) => [indexes[found.start + index], events]),
  );
  const edited = log.flatMap(
    (event, index) => written.get(index)?.map((own): RunEvent => ({ ...own, agent })) ?? [event],
  );
  return logBefore(edited, next.next, agent);
}

/** Returns what each event of a step becomes. */
function editStep(
  step: readonly RunEvent[],
  edit: LogEdit,
  feedback: readonly RunEvent[],
): readonly (readonly RunEvent[])[] {
  if (!('text' in edit)) return withCallEnd(step, edit).map((event) => [event]);
  if (feedback.some((event) => event.type === 'steer' && event.cause === 'output')) {
    throw editRefusedError(
      `The answer of step ${edit.step} cannot be edited: the model was told next what is wrong with it. Edit the answer of the step after that.`,
    );
  }
  return withText(step, edit.text, edit.step);
}

const stopped: RunEventBody = { type: 'run-end', outcome: 'stopped' };

function findStep(log: readonly RunEvent[], step: number): StepRange | undefined {
  const start = log.findIndex((event) => isOwn(event) && event.type === 'step-start' && event.step === step);
  const end = log.findIndex((event) => isOwn(event) && event.type === 'step-end' && event.step === step);
  return start < 0 || end < start ? undefined : { start, end };
}

function isLastOfDone(log: readonly RunEvent[], { end }: StepRange): boolean {
  const last = log.at(-1);
  return (
    last?.type === 'run-end' &&
    last.outcome === 'done' &&
    !log.slice(end).some((event) => isOwn(event) && event.type === 'step-start')
  );
}

/** Returns the end of a run whose answer was edited. The answer of a prompt with an output schema is JSON. */
function doneWith(log: readonly RunEvent[], stepEnd: RunEvent, text: string | undefined): RunEventBody {
  const finishReason: FinishReason = stepEnd.type === 'step-end' ? stepEnd.finishReason : 'other';
  const [first] = log;
  const done = { type: 'run-end', outcome: 'done', finishReason } as const;
  if (first?.type !== 'run-start' || first.structured !== true || text === undefined) return done;
  const output = parseJson(text);
  if (output === undefined) {
    throw editRefusedError(
      'The answer of this prompt is JSON, because the prompt has an output schema. Write JSON.',
    );
  }
  return { ...done, output };
}

/** Replaces the end of a call. Calls beside it in the same step keep theirs. */
function withCallEnd(step: readonly RunEvent[], edit: Exclude<LogEdit, { text: string }>): RunEvent[] {
  const { toolCallId } = edit;
  const isOf = (event: RunEvent): boolean =>
    isOwn(event) && 'toolCallId' in event && event.toolCallId === toolCallId;
  const at = step.findLastIndex((event) => isOf(event) && isCallEnd(event));
  const ended = step[at];
  if (ended === undefined || at < lastVoid(step)) {
    const ids = step.flatMap((event) => (isOwn(event) && isCallEnd(event) ? [`"${event.toolCallId}"`] : []));
    throw editRefusedError(
      `Step ${edit.step} has no call "${toolCallId}" with a result. It has ${ids.join(', ') || 'none'}.`,
    );
  }
  if (!isCallEnd(ended)) return [...step];
  if (ended.providerExecuted === true) {
    throw editRefusedError(`The provider ran the call "${toolCallId}", so its result cannot be edited.`);
  }
  if (isRefused(step, toolCallId)) {
    throw editRefusedError(
      `The call "${toolCallId}" was refused and did not run, so it has no result to edit.`,
    );
  }
  const { seq, t, ms, dynamic, title, toolMetadata } = ended;
  const shared = {
    toolCallId,
    edited: true as const,
    ...(ms === undefined ? {} : { ms }),
    ...(dynamic === undefined ? {} : { dynamic }),
    ...(title === undefined ? {} : { title }),
    ...(toolMetadata === undefined ? {} : { toolMetadata }),
  };
  const written: RunEvent =
    'error' in edit
      ? { seq, t, type: 'tool-error', error: edit.error, ...shared }
      : { seq, t, type: 'tool-end', output: edit.output, ...shared };
  return step.with(at, written);
}

function isCallEnd(event: RunEvent): event is Extract<RunEvent, { type: 'tool-end' | 'tool-error' }> {
  return event.type === 'tool-end' || event.type === 'tool-error';
}

/** True if the call's approval was refused, by a person or by `options.toolApproval`. */
function isRefused(step: readonly RunEvent[], toolCallId: string): boolean {
  const approvals = new Set<string>();
  return step.some((event) => {
    if (!isOwn(event)) return false;
    if (event.type === 'approval-request' && event.toolCallId === toolCallId) approvals.add(event.approvalId);
    if (event.type === 'approval-automatic') return event.toolCallId === toolCallId && !event.approved;
    return event.type === 'approval-response' && approvals.has(event.approvalId) && !event.response.approved;
  });
}

/**
 * Writes the whole text into the first text of the step, and removes the others. The provider's metadata and citations
 * are those of the text that was there: with them, a provider would read its own text instead.
 */
function withText(step: readonly RunEvent[], text: string, number: number): RunEvent[][] {
  const from = lastVoid(step);
  const at = step.findIndex((event, index) => index > from && isOwn(event) && event.type === 'text-start');
  const start = step[at];
  if (start?.type !== 'text-start')
    throw editRefusedError(
      `The model has written no text in step ${number}, so there is none to edit. Edit the result of one of its calls.`,
    );
  const { seq, t, id } = start;
  const written: RunEvent[] = [
    { seq, t, type: 'text-start', id, edited: true },
    ...(text === '' ? [] : [{ seq, t, type: 'text-delta', id, text } as const]),
    { seq, t, type: 'text-end', id },
  ];
  return step.map((event, index) => {
    if (index === at) return written;
    return index > from && isOwn(event) && event.type.startsWith('text-') ? [] : [event];
  });
}

/** Returns the index of the last failed attempt in a step, before which everything is void; 0 if there was none. */
function lastVoid(step: readonly RunEvent[]): number {
  return Math.max(
    0,
    step.findLastIndex((event) => isOwn(event) && event.type === 'retry' && event.attempt === undefined),
  );
}

function isOwn({ agent }: RunEvent): boolean {
  return agent === undefined;
}

function editRefusedError(message: string): CuelineError {
  return new CuelineError('invalid_options', message);
}
