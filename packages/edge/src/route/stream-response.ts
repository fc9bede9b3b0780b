import { RUN_HEADER, toServerSentEvents } from '@cueline/core/server';
import { answerHeaders } from '../http/respond.ts';
import { toFrames } from '../stores/event-batch.ts';
import type { EventBatch } from '../stores/run-log-store.ts';
import type { ChatAnswer } from './chat.ts';
import { toChunkStream } from './chunk-stream.ts';
import { whileRead, type StreamReader } from './streams.ts';

/** Returns a run's events as a streamed response. `reader` leaves once no client reads it any more. */
export function eventsResponse(
  events: AsyncIterable<EventBatch>,
  runId: string,
  reader: StreamReader,
): Response {
  return streamResponse(toServerSentEvents(whileRead(events, reader), toFrames), { [RUN_HEADER]: runId });
}

/** Returns the AI SDK's chunks as a streamed response. */
export function chunksResponse({ chunks, runId, leave }: ChatAnswer, reader: StreamReader): Response {
  const leaveBoth = (): void => {
    leave();
    reader.leave();
  };
  return streamResponse(toChunkStream(chunks, { ...reader, leave: leaveBoth }), {
    'x-vercel-ai-ui-message-stream': 'v1',
    ...(runId === undefined ? {} : { [RUN_HEADER]: runId }),
  });
}

function streamResponse(body: ReadableStream<Uint8Array>, headers: Record<string, string>): Response {
  const type = { 'content-type': 'text/event-stream; charset=utf-8' };
  return new Response(body, { headers: { ...answerHeaders, ...type, ...headers } });
}

/** Returns a response with status 204. */
export function emptyResponse(): Response {
  return new Response(null, { status: 204, headers: answerHeaders });
}
