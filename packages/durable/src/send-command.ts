import type { EditReply } from '@cueline/core';
import type { DurableCommand } from '@cueline/core/durable';
import type { Steps } from './advance-run.ts';
import { checkTexts } from './check-texts.ts';
import type { DurableDriver } from './driver.ts';
import { commandOf, decide, isSameCommand, refusedForAnother, type Decision } from './respond.ts';
import type { DurableStore, ReadEvents } from './store.ts';

export type SenderSettings = {
  store: Pick<DurableStore, 'read' | 'send' | 'forget'>;
  driver: Pick<DurableDriver, 'wake'>;
  steps: Pick<Steps, 'stop' | 'look'>;
};

/** Creates the function that sends commands to runs, whether or not a worker is up. */
export function createSender({
  store,
  driver,
  steps,
}: SenderSettings): (runId: string, command: DurableCommand) => Promise<EditReply> {
  /** Stores a command, unless the run has another response or claim by now, or has ended. */
  async function keep(
    runId: string,
    command: DurableCommand,
    read: ReadEvents | undefined,
    page: string | undefined,
  ): Promise<Decision> {
    const stored = commandOf(command, page);
    const kept = await store.send(runId, stored);
    if (kept !== undefined && !isSameCommand(kept.command, command)) return refusedForAnother(command);
    if (kept !== undefined && (command.type === 'stop' || command.type === 'edit')) {
      return { status: 'accepted' };
    }
    // since the first read a worker may have got another response, and have freed its name; or the run has ended with this one
    const decision = decide(await readOn(runId, read), command);
    if (kept !== undefined && decision.status !== 'accepted') await store.forget(runId, [stored.name]);
    return decision;
  }

  /** Returns a log that was read before with what follows it. */
  async function readOn(runId: string, { events }: ReadEvents = { events: [], ended: false }) {
    const more = await store.read(runId, events.length - 1);
    return more === undefined ? undefined : { events: [...events, ...more.events], ended: more.ended };
  }

  return async function send(runId, command) {
    checkTexts({ runId });
    const read = await store.read(runId, -1);
    let decision = decide(read, command);
    if (decision.status === 'known' && read?.ended === true) return { accepted: true };
    if (decision.status === 'refused') return { accepted: false, reason: decision.reason };
    if (decision.status === 'accepted') decision = await keep(runId, command, read, decision.page);
    // stored first, so that another worker stops, too, if this one is killed
    if (command.type === 'stop') steps.stop(runId);
    else steps.look(runId);
    // also for one that was sent before, whose sender may have failed to wake the run
    await driver.wake(runId);
    return decision.status === 'refused' ? { accepted: false, reason: decision.reason } : { accepted: true };
  };
}
