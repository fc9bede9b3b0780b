import type { Selection } from '../state/inspection.ts';
import { useInspection } from '../state/inspection.ts';
import type { RunSession } from '../state/store.ts';

/** The address of a page with the number of a step, from 0; `url` is the link to its run. */
export function makeStepLink(url: string, step: number): string {
  const link = new URL(url);
  link.search = `?step=${step + 1}`;
  return link.href;
}

/** The step that the search part of an address names: `?step=3`, with several turns `?step=3&turn=2`. Counts from 1. */
export function readStepLink(
  search: string,
  session: Pick<RunSession, 'run' | 'earlier'>,
): Extract<Selection, { kind: 'step' }> | undefined {
  const params = new URLSearchParams(search);
  const last = session.earlier.length;
  const step = numberOf(params.get('step'));
  const turn = params.has('turn') ? numberOf(params.get('turn')) : last;
  if (step === undefined || turn === undefined) return undefined;
  const state = turn === last ? session.run.getState() : session.earlier[turn]?.state;
  return state?.steps.some((one) => one.step === step) ? { kind: 'step', turn, step } : undefined;
}

/** A number that counts from 1, as one that counts from 0. */
function numberOf(text: string | null): number | undefined {
  return text !== null && /^[1-9]\d{0,8}$/.test(text) ? Number(text) - 1 : undefined;
}

/** Selects the step that the address names, if the run has it. */
export function selectLinkedStep(search: string, session: RunSession | undefined): void {
  const selection = session === undefined ? undefined : readStepLink(search, session);
  if (selection !== undefined) useInspection.getState().select(selection);
}

/** The step of the run itself that is selected, or in which the selected call or agent is; of the last turn only. */
export function linkedStepOf(selection: Selection | undefined, session: RunSession): number | undefined {
  if (selection === undefined || selection.kind === 'definition') return undefined;
  const { turn, agent, step } = selection;
  // a link contains only the last turn
  if (turn !== session.earlier.length) return undefined;
  if (agent === undefined) return step;
  // a repeated id has a number after it
  const toolCallId = agent.split('/', 1)[0]!.replace(/~\d+$/, '');
  const { steps, toolCalls } = session.run.getState();
  const call = toolCalls.findLast((one) => one.toolCallId === toolCallId);
  return call === undefined ? undefined : steps[call.step]?.step;
}
