import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { chatCompletions } from './chat-completions.ts';
import { faults, midstreamMessage, refusal } from './faults.ts';
import { answer, countTokens, toDeltas, type Reply } from './model.ts';
import { responses } from './responses.ts';
import { created, type Wire } from './wire.ts';

/** One request as it arrived. */
export type RecordedRequest = {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  /** The body as text, exactly as sent. */
  text: string;
  /** The body as JSON; undefined where it is none. */
  body: unknown;
  /** True if the client disconnected before the answer was complete. */
  aborted: boolean;
};

export type ModelServer = {
  /** The base URL for clients, such as `http://127.0.0.1:40123/v1`. */
  readonly baseURL: string;
  /** Every request so far, preflights included, in the order of arrival. */
  readonly requests: readonly RecordedRequest[];
  /** Those that call the model. */
  readonly calls: readonly RecordedRequest[];
  /**
   * Sets the answers of the next calls, one each; after the last one the model answers by its own rule again. The model
   * waits with an answer that is a promise: so a test decides when the run goes on.
   */
  plan(replies: readonly (Reply | Promise<Reply>)[]): void;
  close(): Promise<void>;
};

export type ModelServerOptions = {
  /** Defaults to a free one. */
  port?: number;
  /** The arguments of the model's calls, by the tool's name; `{}` for any other. */
  toolInputs?: Record<string, unknown>;
};

const wires: Record<string, Wire> = { '/v1/chat/completions': chatCompletions, '/v1/responses': responses };

/**
 * An OpenAI-compatible server with a small deterministic model behind it, in this process and on this machine only.
 * Without a plan the model calls the first tool once, then answers with what the tool returned. See `faults` for the
 * model ids that misbehave.
 */
export async function startModelServer(options: ModelServerOptions = {}): Promise<ModelServer> {
  const { port = 0, toolInputs = {} } = options;
  const requests: RecordedRequest[] = [];
  let planned: (Reply | Promise<Reply>)[] = [];
  let answers = 0;
  let toolCalls = 0;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const recorded = await record(request);
    requests.push(recorded);
    response.on('close', () => (recorded.aborted = !response.writableFinished));

    const { method, path } = recorded;
    if (method === 'OPTIONS') return preflight(recorded, response);
    if (method === 'GET' && path === '/v1/models') {
      const data = ['test-model', ...Object.keys(faults)].map((id) => ({
        id,
        object: 'model',
        created,
        owned_by: 'tests',
      }));
      return json(response, 200, { object: 'list', data });
    }
    const wire = method === 'POST' ? wires[path] : undefined;
    if (wire === undefined) return json(response, 404, failure(`Unknown request: ${method} ${path}`));
    await reply(wire, recorded, response);
  }

  async function reply(
    wire: Wire,
    { body, headers }: RecordedRequest,
    response: ServerResponse,
  ): Promise<void> {
    let call;
    try {
      call = wire.parse(body);
    } catch (error) {
      return json(response, 400, failure(error instanceof Error ? error.message : String(error)));
    }
    const refused = refusal(call.model, headers.authorization ?? '');
    if (refused) return json(response, refused.status, refused.body);

    const deltas = [
      ...toDeltas((await planned.shift()) ?? answer(call), call, toolInputs, () => `call_${++toolCalls}`),
    ];
    const writer = wire.open(call, String(++answers));
    response.writeHead(200, {
      ...(call.model === 'fault-cors' ? {} : corsHeaders),
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
    });
    response.write(writer.start());
    const cut = cutAt(
      call.model,
      deltas.map((delta) => delta.type),
    );
    for (const [index, delta] of deltas.entries()) {
      if (call.model === 'slow') await sleep(200);
      if (response.destroyed) return;
      if (index === cut) {
        response.end(call.model === 'fault-midstream' ? writer.fail(midstreamMessage) : '');
        return;
      }
      response.write(writer.delta(delta));
    }
    response.end(writer.end(countTokens(call, deltas.length)));
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) =>
      response.destroy(error instanceof Error ? error : undefined),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  // Only a pipe or a closed server has no port.
  const address = server.address() as AddressInfo;

  return {
    baseURL: `http://127.0.0.1:${address.port}/v1`,
    requests,
    get calls() {
      return requests.filter(({ method }) => method === 'POST');
    },
    plan: (replies) => void (planned = [...replies]),
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Where a faulty stream breaks off: after two pieces, counted in the first tool's arguments where there is a tool. */
function cutAt(model: string, types: string[]): number {
  if (model === 'fault-midstream') return Math.min(2, types.length - 1);
  if (model !== 'fault-truncated') return -1;
  const toolInput = types.indexOf('tool-input');
  return toolInput < 0 ? Math.min(2, types.length - 1) : toolInput + 1;
}

const corsHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': '*',
};

function preflight({ headers }: RecordedRequest, response: ServerResponse): void {
  response.writeHead(204, {
    ...corsHeaders,
    'access-control-allow-methods': 'GET, POST',
    // "*" would leave out Authorization.
    'access-control-allow-headers': headers['access-control-request-headers'] ?? '',
    'access-control-allow-private-network': 'true',
  });
  response.end();
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { ...corsHeaders, 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

function failure(message: string): object {
  return { error: { message, type: 'invalid_request_error', param: null, code: null } };
}

async function record(request: IncomingMessage): Promise<RecordedRequest> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += String(chunk);
  const { method = 'GET', url = '/', headers } = request;
  const { pathname } = new URL(url, 'http://localhost');
  return { method, path: pathname, headers, text, body: parseJson(text), aborted: false };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
