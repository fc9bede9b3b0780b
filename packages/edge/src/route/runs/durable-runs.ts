import { CuelineError, type EditReply, type RunCommand } from '@cueline/core';
import { withTimeout } from '../../base/with-timeout.ts';
import { Refusal } from '../../http/respond.ts';
import { createCommandCheck } from '../check-command.ts';
import { unknownRun } from '../read-query.ts';
import type { RouteSettings } from '../settings.ts';
import { leastTokens } from '../usage/least-tokens.ts';
import { limitsWithin, startRefusedError } from '../usage/run-budget.ts';
import type { DurableHost } from './durable-host.ts';
import { keyOf, type ReachedRun, type Runs, type StartedRun, type StartRequest } from './runs.ts';
import { shownEvents } from './shown-events.ts';

/** How long to wait for a stopped run, in milliseconds. */
const STOP_MS = 2_000;
/** How long a start is counted as one under way, in milliseconds. It takes no longer than to store it. */
const START_MS = 10_000;

/** Creates the runs of a route whose runs happen on a durable host, with the protections of the route around them. */
export function createDurableRuns(settings: RouteSettings, host: DurableHost): Runs {
  return new DurableRuns(settings, host);
}

/** The runs in the store of a durable host. This instance keeps nothing of them. */
class DurableRuns implements Runs {
  readonly #settings: RouteSettings;
  readonly #host: DurableHost;

  constructor(settings: RouteSettings, host: DurableHost) {
    this.#settings = settings;
    this.#host = host;
  }

  /** Returns a store's answer. If the store fails, nothing begins. */
  async #ask<Value>(question: () => Promise<Value>): Promise<Value> {
    try {
      return await withTimeout(question());
    } catch (error) {
      this.#settings.report({ type: 'failed', error });
      throw new Refusal(
        'unavailable',
        'Runs cannot be stored or found at the moment. Try again in a while.',
        { retryAfterMs: 1_000 },
      );
    }
  }

  async reach(runId: string, subject: string): Promise<ReachedRun> {
    const run = await this.find(runId, subject);
    if (run === undefined) throw unknownRun();
    return run;
  }

  async find(runId: string, subject: string): Promise<ReachedRun | undefined> {
    const found = await this.#ask(() => this.#host.find({ runId }));
    // a run without an owner was not started by a route
    return found?.owner?.subject === subject ? this.#reached(runId, subject, found.endSeq) : undefined;
  }

  async latest(chat: string, subject: string): Promise<ReachedRun | undefined> {
    const found = await this.#ask(() => this.#host.find({ subject, chat }));
    return found === undefined ? undefined : this.reach(found.runId, subject);
  }

  #reached(runId: string, subject: string, endSeq: number | undefined): ReachedRun {
    const host = this.#host;
    return {
      runId,
      endSeq,
      events: (afterSeq) => shownEvents((signal) => host.watch(runId, -1, signal), afterSeq, this.#settings),
      send: (command) => this.#ask(() => this.#send(runId, subject, command)),
      stop: async () => void (await this.#ask(() => host.respond(runId, { type: 'stop' }))),
      over: () => this.#ended(runId).catch(() => {}),
    };
  }

  async #ended(runId: string): Promise<void> {
    for await (const { type } of this.#host.watch(runId, -1, AbortSignal.timeout(STOP_MS))) {
      if (type === 'run-end') return;
    }
  }

  async #send(runId: string, subject: string, command: RunCommand): Promise<EditReply> {
    const { events = [] } = (await this.#host.read(runId, -1)) ?? {};
    const [first] = events;
    const check = createCommandCheck({
      permissions: this.#settings.permissions,
      prompt: first?.type === 'run-start' ? (first.name ?? '') : '',
      subject,
      onFailure: (error) => this.#settings.report({ type: 'failed', error, runId }),
    });
    for (const event of events) check.see(event);
    const reason = await check.refusal(command);
    return reason === undefined ? this.#host.respond(runId, command) : { accepted: false, reason };
  }

  async begin({ start, identity, chat }: StartRequest): Promise<StartedRun> {
    const { subject } = identity;
    const { key: startKey, ...request } = start;
    const own = keyOf(request.definition.name, startKey, chat);
    const key = own === undefined ? undefined : JSON.stringify([subject, own]);
    const known = key === undefined ? undefined : await this.#ask(() => this.#host.find({ key }));
    if (known !== undefined) return { ...(await this.reach(known.runId, subject)), started: false };
    checkStart(start);
    checkIdentity(identity);
    const limits = limitsWithin(request.options?.limits);
    this.#checkTokens(leastTokens(request), limits.tokens);
    await this.#countStart(subject);
    const { runId, isNew } = await this.#ask(() =>
      this.#host.begin({ ...request, key, options: { limits } }, { subject, chat: chat?.id }),
    );
    return { ...(await this.reach(runId, subject)), started: isNew };
  }

  #checkTokens(least: number, allowed = Infinity): void {
    if (least <= allowed) return;
    const message = `Your request has about ${least} tokens, more than the ${allowed} that a run may use here.`;
    throw startRefusedError({ why: 'budget', message }, this.#settings);
  }

  /** Counts a start for `limits.rpm`. Throws a {@link Refusal} if there were too many. */
  async #countStart(subject: string): Promise<void> {
    const { limitStore, rpm } = this.#settings;
    const id = `start-${crypto.randomUUID()}`;
    const unlimited = { dailyTokens: Infinity, concurrent: Infinity };
    const reserved = await this.#ask(() =>
      limitStore.reserve({ ...unlimited, subject, id, tokens: 0, rpm, leaseMs: START_MS }),
    );
    if (!reserved.ok) throw startRefusedError(reserved, this.#settings);
    await this.#ask(() => limitStore.settle({ subject, id, tokens: 0, cost: 0 }));
  }
}

/** @throws CuelineError `invalid_options` if `auth` sets a limit that is not counted here */
function checkIdentity({ dailyTokens, dailyCost }: StartRequest['identity']): void {
  if (dailyTokens === undefined && dailyCost === undefined) return;
  throw new CuelineError(
    'invalid_options',
    'createPromptRoute: auth returned dailyTokens or dailyCost, and durable runs are not counted by the day. Return only the subject.',
  );
}

/** @throws CuelineError `invalid_options` if `accept` returns what a worker could not create again */
function checkStart({ model, options = {} }: StartRequest['start']): void {
  const names = Object.keys(options).filter((name) => name !== 'limits');
  if (model !== undefined && typeof model !== 'string') names.push('model, as an object');
  if (names.length === 0) return;
  throw new CuelineError(
    'invalid_options',
    `createPromptRoute: accept returned ${names.join(', ')}, and a durable run stores only its limits and the name of its model. Set the rest in createDurable({ options }).`,
  );
}
