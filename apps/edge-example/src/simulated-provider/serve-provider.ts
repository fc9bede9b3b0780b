import { simulatedModel } from '@cueline/react-example/demo';
import { serve } from 'srvx';
import { readCall } from './read-call.ts';
import { writeEvents } from './write-events.ts';

/**
 * A simulated model provider: OpenAI's Responses API over HTTP on this machine, for callers with the key. Returns the
 * address for `OPENAI_API_BASE`.
 */
export async function serveSimulatedProvider(key: string): Promise<string> {
  const server = serve({
    port: 0,
    hostname: '127.0.0.1',
    silent: true,
    // it lives as long as its server
    gracefulShutdown: false,
    fetch: (request) => answer(request, key),
  });
  await server.ready();
  return new URL('/v1', server.url).href;
}

async function answer(request: Request, key: string): Promise<Response> {
  if (request.headers.get('authorization') !== `Bearer ${key}`) {
    return refuse(401, 'invalid_api_key', 'Incorrect API key provided.');
  }
  if (request.method !== 'POST' || new URL(request.url).pathname !== '/v1/responses') {
    return refuse(404, 'unknown_url', 'Only POST /v1/responses is answered here.');
  }
  const call = readCall(await request.text());
  if (call === undefined)
    return refuse(400, 'invalid_request', 'This server only answers calls with stream: true.');
  const stopping = new AbortController();
  const { stream } = await simulatedModel.doStream({ ...call, abortSignal: stopping.signal });
  const events = writeEvents(stream, (isWhole) => {
    stopping.abort();
    console.log(JSON.stringify({ type: isWhole ? 'provider-done' : 'provider-stopped', at: Date.now() }));
  });
  return new Response(ReadableStream.from(events).pipeThrough(new TextEncoderStream()), {
    headers: { 'content-type': 'text/event-stream' },
  });
}

function refuse(status: number, code: string, message: string): Response {
  const error = { message, type: 'invalid_request_error', param: null, code };
  return Response.json({ error }, { status });
}
