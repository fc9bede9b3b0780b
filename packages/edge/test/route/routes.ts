import { definePrompt, viaRoute, type Executor, type RouteOptions, type RunEvent } from '@cueline/core';
import { scriptedModel, type ScriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import {
  createMemoryRuns,
  createPromptRoute,
  type PromptRoute,
  type PromptRouteEvent,
  type PromptRouteOptions,
  type RoutePrompt,
  type RunLogStore,
} from '@cueline/edge';
import { onTestFinished } from 'vitest';
import * as z from 'zod';

export const address = 'https://example.test/api/greet';
export const page = 'https://play.example';

export const greet = definePrompt(
  'greet',
  (prompt, input) => {
    prompt.defTool('look', 'Looks', z.object({ at: z.string() }), ({ at }) => `seen ${at}`);
    prompt.defTool('send', 'Sends', z.object({ to: z.string() }), ({ to }) => `sent to ${to}`, {
      effect: 'external',
    });
    prompt.$`Greet ${input?.name ?? 'whoever asks'}.`;
  },
  { input: z.object({ name: z.string().optional() }).optional() },
);

export const looks: ScriptedTurn = [{ toolCall: { name: 'look', input: { at: 'Ada' } } }];
export const sends: ScriptedTurn = [{ toolCall: { name: 'send', input: { to: 'Bob' } } }];
/** Says a word, and is still at it when the test is over. */
export const endless: ScriptedTurn = [{ text: 'Wait' }, { delay: 60_000 }, { text: '.' }];

/** A text that comes in pieces of two characters, each after so many milliseconds. */
export function slowly(text: string, ms: number): { text: string; delay: number }[] {
  return (text.match(/[^]{1,2}/g) ?? []).map((piece) => ({ text: piece, delay: ms }));
}

export type TestRoute = {
  route: PromptRoute;
  model: ScriptedModel;
  store: RunLogStore;
  /** What the route made known, in its order. */
  events: PromptRouteEvent[];
  /** Every request that came, and what was answered. */
  asked: { method: string; status: number }[];
  /** Asks as a subject. */
  fetch(subject?: string): (request: Request) => Promise<Response>;
};

/** A route whose callers say who they are: `authorization: Bearer ada`. */
export function testRoute(
  script: readonly ScriptedTurn[],
  options: Partial<PromptRouteOptions> & {
    definition?: RoutePrompt | RoutePrompt[];
  } = {},
): TestRoute {
  const { definition = greet, ...rest } = options;
  const model = scriptedModel(script);
  const events: PromptRouteEvent[] = [];
  const asked: TestRoute['asked'] = [];
  const store = options.store ?? createMemoryRuns();
  const route = createPromptRoute(definition, {
    model,
    origins: [page],
    auth: async ({ headers }) => {
      const subject = headers.get('authorization')?.replace('Bearer ', '');
      return subject === undefined ? null : { subject };
    },
    store,
    onEvent: (event) => events.push(event),
    ...rest,
  });
  return {
    route,
    model,
    store,
    events,
    asked,
    fetch:
      (subject = 'ada') =>
      async (request) => {
        const sent = new Request(request);
        sent.headers.set('authorization', `Bearer ${subject}`);
        const response = await route(sent);
        asked.push({ method: request.method, status: response.status });
        return response;
      },
  };
}

/** The real client of a route, as a subject. */
export function client(
  { fetch }: Pick<TestRoute, 'fetch'>,
  subject = 'ada',
  options: RouteOptions = {},
): Required<Pick<Executor, 'start' | 'attach' | 'send'>> {
  return viaRoute(address, { fetch: fetch(subject), retryDelay: () => 1, ...options }) as never;
}

/** A signal that does not abort during the test. It aborts afterwards, so that no reader of a failed test is left. */
export const never = (): AbortSignal => {
  const controller = new AbortController();
  onTestFinished(() => controller.abort());
  return controller.signal;
};

export async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const seen: Item[] = [];
  for await (const item of items) seen.push(item);
  return seen;
}

/** A request with JSON, as a subject. */
export function post(body: unknown, query = '', headers: Record<string, string> = {}): Request {
  return new Request(`${address}${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer ada', ...headers },
    body: JSON.stringify(body),
  });
}

export function ask(method: string, query = '', headers: Record<string, string> = {}): Request {
  return new Request(`${address}${query}`, { method, headers: { authorization: 'Bearer ada', ...headers } });
}

/** The status and the code of a refusal, and its words. */
export async function refusal(
  response: Response,
): Promise<{ status: number; code: string; message: string }> {
  const { error } = (await response.json()) as { error: { code: string; message: string } };
  return { status: response.status, ...error };
}

/** Reads until an event of this type has come, and leaves. */
export async function readTo(events: AsyncIterable<RunEvent>, type: RunEvent['type']): Promise<RunEvent[]> {
  const seen: RunEvent[] = [];
  for await (const event of events) {
    seen.push(event);
    if (event.type === type) break;
  }
  return seen;
}

export function idOf(events: readonly RunEvent[]): string {
  const [first] = events;
  if (first?.type !== 'run-start') throw new Error('No start.');
  return first.runId;
}
