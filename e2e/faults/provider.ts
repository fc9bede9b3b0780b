import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { chatCompletions } from '../server/chat-completions.ts';
import { responses } from '../server/responses.ts';
import type { Wire, WireWriter } from '../server/wire.ts';

/** Which of OpenAI's two formats a run speaks. */
export type WireName = 'chat' | 'responses';

/** The two model calls of the test prompt: the first asks for a tool call, the second answers with text. */
export type StepName = 'call' | 'answer';

/** The events of the right answer, so that a fault can send as much of it as it likes. */
export type Answer = {
  start: string;
  text: string[];
  /** Begin, two pieces of arguments, end; empty in the second step. */
  call: string[];
  end: string;
};

/** One request that a fault answers. */
export type Exchange = {
  wire: WireName;
  step: StepName;
  /** Which request of this step it is, from 1. */
  attempt: number;
  response: ServerResponse;
  socket: Socket;
  answer: Answer;
  /** Writes other events of the same format. */
  writer: WireWriter;
};

/** Replaces the provider's correct answer. */
export type Play = (exchange: Exchange) => Promise<void> | void;

/** A provider for one run. */
export type FaultyProvider = {
  baseURL: string;
  /** How many requests came for a step. */
  attempts(step: StepName): number;
  /** Connections with an answer in progress. */
  open(): number;
};

export type FaultServer = AsyncDisposable & {
  /** Creates a provider with `fault` in one step and a correct answer in the other. */
  provider(wire: WireName, step: StepName, fault: Play): FaultyProvider;
};

const wires: Record<WireName, Wire> = { chat: chatCompletions, responses };

/** The arguments of the one tool call. */
const toolInput = '{"line":"once"}';

const forPages = { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' };

/** A server on this machine whose providers each misbehave in their own way. `allowsPages`: also to pages (CORS). */
export async function startFaultServer({ allowsPages = false } = {}): Promise<FaultServer> {
  const runs = new Map<string, (request: IncomingMessage, response: ServerResponse) => Promise<void>>();
  const server = createServer((request, response) => {
    const run = runs.get((request.url ?? '').split('/')[1] ?? '');
    response.on('error', () => {});
    request.on('error', () => {});
    if (allowsPages) response.setHeaders(new Map(Object.entries(forPages)));
    if (request.method === 'OPTIONS') return void response.writeHead(204).end();
    if (run === undefined) return void response.writeHead(404).end();
    run(request, response).catch((error: unknown) => {
      console.error(error);
      response.destroy();
    });
  });
  // the faults decide how long anything takes
  server.requestTimeout = 0;
  server.headersTimeout = 0;
  server.keepAliveTimeout = 1_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    provider(wire, faulty, fault) {
      const id = `run-${runs.size + 1}`;
      const attempts = { call: 0, answer: 0 };
      const open = new Set<ServerResponse>();
      runs.set(id, async (request, response) => {
        open.add(response);
        response.on('close', () => open.delete(response));
        const call = wires[wire].parse(JSON.parse(await read(request)));
        const step = call.toolResults.length > 0 ? 'answer' : 'call';
        attempts[step] += 1;
        const writer = wires[wire].open(call, `${id}-${attempts.call + attempts.answer}`);
        const socket = response.socket;
        if (socket === null) return;
        const exchange: Exchange = {
          wire,
          step,
          attempt: attempts[step],
          response,
          socket,
          answer: write(writer, step),
          writer,
        };
        await (step === faulty ? fault(exchange) : good(exchange));
      });
      return {
        baseURL: `http://127.0.0.1:${port}/${id}/v1`,
        attempts: (step) => attempts[step],
        open: () => open.size,
      };
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Answers as a provider should. */
export const good: Play = ({ response, answer }) => {
  head(response);
  response.end(whole(answer));
};

/** Begins an answer that is a stream of events. */
export function head(response: ServerResponse, headers: Record<string, string> = {}): ServerResponse {
  response.writeHead(200, { 'content-type': 'text/event-stream', ...headers });
  response.flushHeaders();
  return response;
}

export function whole({ start, text, call, end }: Answer): string {
  return [start, ...text, ...call, end].join('');
}

function write(writer: WireWriter, step: StepName): Answer {
  const start = writer.start();
  const says = step === 'call' ? ['I ', 'write.'] : ['Do', 'ne.'];
  const text = says.map((piece) => writer.delta({ type: 'text', text: piece }));
  const id = 'call_1';
  const half = Math.floor(toolInput.length / 2);
  const call =
    step === 'answer'
      ? []
      : [
          writer.delta({ type: 'tool-start', id, name: 'write' }),
          writer.delta({ type: 'tool-input', id, text: toolInput.slice(0, half) }),
          writer.delta({ type: 'tool-input', id, text: toolInput.slice(half) }),
          writer.delta({ type: 'tool-end', id, name: 'write', input: toolInput }),
        ];
  return { start, text, call, end: writer.end({ input: 5, output: 7 }) };
}

async function read(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += String(chunk);
  return text;
}
