import {
  createRunLog,
  inProcess,
  type PromptDefinition,
  type RunCommand,
  type RunEvent,
  type RunLog,
  type RunRequest,
  viaRoute,
} from '@cueline/core';
import { toEventStream } from '@cueline/core/server';

export type HubOptions = Pick<RunRequest, 'model' | 'options'> & {
  /** Changes the nth answer with events, counted from 0. */
  tamper?: (body: ReadableStream<Uint8Array>, connection: number) => ReadableStream<Uint8Array>;
  /** Answers a request in the hub's place. */
  instead?: (request: Request, connection: number) => Response | undefined | Promise<Response | undefined>;
};

type Kept = { log: RunLog; controller: AbortController };

/** Prompts behind a function from request to response, kept in memory: as small as a route can be. */
export function createHub(definition: PromptDefinition<never>, options: HubOptions) {
  const executor = inProcess();
  const runs = new Map<string, Kept>();
  const keys = new Map<string, Promise<Kept>>();
  const requests: Request[] = [];
  const bodies: unknown[] = [];
  let connections = 0;

  async function begin(body: Record<string, unknown>): Promise<Kept> {
    const controller = new AbortController();
    const log = createRunLog();
    const { prompt: _prompt, ...rest } = body;
    const request = { ...rest, definition, model: options.model, options: options.options } as RunRequest;
    const events = executor.start(request, controller.signal)[Symbol.asyncIterator]();
    const first = await events.next();
    if (first.done === true || first.value.type !== 'run-start') throw new Error('No start.');
    log.push(first.value);
    void (async () => {
      for (let next = await events.next(); next.done !== true; next = await events.next())
        log.push(next.value);
    })();
    const kept = { log, controller };
    runs.set(first.value.runId, kept);
    return kept;
  }

  function stream(events: AsyncIterable<RunEvent>): Response {
    const body = toEventStream(events);
    const tampered = options.tamper?.(body, connections) ?? body;
    connections += 1;
    return new Response(tampered, { headers: { 'content-type': 'text/event-stream; charset=utf-8' } });
  }

  async function answer(request: Request): Promise<Response> {
    const instead = await options.instead?.(request, connections);
    if (instead !== undefined) return instead;
    const runId = new URL(request.url).searchParams.get('run');
    const text = await request.text();
    const body = text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
    bodies.push(body);
    if (runId === null) {
      if (typeof body['key'] !== 'string') return stream((await begin(body)).log.read());
      const started = keys.get(body['key']) ?? begin(body);
      keys.set(body['key'], started);
      return stream((await started).log.read());
    }
    const kept = runs.get(runId);
    if (kept === undefined) {
      return Response.json({ error: { code: 'nowhere', message: `No run ${runId}.` } }, { status: 404 });
    }
    if (request.method === 'DELETE') {
      kept.controller.abort();
      return new Response(null, { status: 204 });
    }
    if (request.method === 'POST') {
      return Response.json(await executor.send?.(runId, body as unknown as RunCommand));
    }
    const lastEventId = request.headers.get('last-event-id');
    return stream(kept.log.read(lastEventId === null ? -1 : Number(lastEventId)));
  }

  function answered(request: Request): Promise<Response> {
    requests.push(request.clone());
    return answer(request);
  }

  return {
    runs,
    requests,
    bodies,
    fetch: answered,
    executor: viaRoute('https://example.test/', { fetch: answered }),
    /** `POST`, `GET 3` (after event 3), `DELETE`: what was asked for, in its order. */
    asked: () =>
      requests.map(({ method, headers }) => [method, headers.get('last-event-id')].filter(Boolean).join(' ')),
    /** The log of the only run there is. */
    log(): readonly RunEvent[] {
      const [only, ...others] = runs.values();
      if (only === undefined || others.length > 0) throw new Error(`${runs.size} runs`);
      return only.log.events;
    },
  };
}

/** A body that breaks after so many events: its connection fails, or it ends as if nothing were wrong. */
export function cutAfter(
  body: ReadableStream<Uint8Array>,
  events: number,
  how: 'fails' | 'ends' = 'fails',
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let left = events;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      // a chunk is an event, or the comment before the first
      const { done, value } = await reader.read();
      if (done) return controller.close();
      const isEvent = value[0] !== 58;
      if (isEvent && left === 0) {
        void reader.cancel();
        if (how === 'ends') controller.close();
        else controller.error(new TypeError('terminated'));
        return;
      }
      if (isEvent) left -= 1;
      controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
