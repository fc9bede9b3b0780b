import type { EditReply } from '@cueline/core';
import type { DurableCommand } from '@cueline/core/durable';
import type { Steps } from './advance-run.ts';
import { checkTexts } from './check-texts.ts';
import { commandOf, decide, isSameCommand, refusedForAnother, type Decision } from './decide-command.ts';
import type { DurableDriver } from './driver.ts';
import type { DurableStore, ReadEvents } from './store.ts';

export type SenderSettings = {
  store: Pick<DurableStore, 'read' | 'send' | 'forget'>;
  driver: Pick<DurableDriver, 'wake'>;
  steps: Pick<Steps, 'stop' | 'checkCommands'>;
};

/** Creates the function that sends commands to runs, whether or not a worker is up. */
export function createSender({
  store,
  driver,
  steps,
}: SenderSettings): (runId: string, command: DurableCommand) => Promise<EditReply> {
  /** Stores a command, unless the run has ended or already has another response or claim. */
  async function storeCommand(
    runId: string,
    command: DurableCommand,
    read: ReadEvents | undefined,
    page: string | undefined,
  ): Promise<Decision> {
    const stored = commandOf(command, page);
    const kept = await store.send(runId, stored);
    if (kept !== undefined && !isSameCommand(kept.command, command)) return refusedForAnother(command);
    if (kept !== undefined && command.type === 'stop') return { status: 'accepted' };
    // since the first read, the run may have ended, a worker may have handled another response and freed its name, or
    // this one may be in the log of a run that has ended
    const decision = decide(await readMore(runId, read), command);
    if (kept !== undefined && decision.status !== 'accepted') await store.forget(runId, [stored.name]);
    return decision;
  }

  /** Returns a log that was read before, with the events after it. */
  async function readMore(runId: string, { events }: ReadEvents = { events: [], ended: false }) {
    const more = await store.read(runId, events.length - 1);
    return more === undefined ? undefined : { events: [...events, ...more.events], ended: more.ended };
  }

  return async function send(runId, command) {
    checkTexts({ runId });
    const read = await store.read(runId, -1);
    let decision = decide(read, command);
    if (decision.status === 'known' && read?.ended === true) return { accepted: true };
    if (decision.status === 'refused') return { accepted: false, reason: decision.reason };
    if (decision.status === 'accepted') decision = await storeCommand(runId, command, read, decision.page);
    // only once it is stored, so that another worker stops the run if this process is killed
    if (command.type === 'stop') steps.stop(runId);
    else steps.checkCommands(runId);
    // also for a command that was sent before: its sender may have failed to wake the run
    await driver.wake(runId);
    return decision.status === 'refused' ? { accepted: false, reason: decision.reason } : { accepted: true };
  };
}
