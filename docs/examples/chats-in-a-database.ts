import { isDeepStrictEqual } from 'node:util';
import { createRun, CuelineError, definePrompt, type RunEvent, type RunStorage } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import * as z from 'zod';

// #region server
/** Stands for a table: user_id, chat_id, seq, event (JSON); the first three are its key. */
const table = new Map<string, RunEvent[]>();

/** GET, POST and DELETE /api/chats/{id}. `userId` is who your own sign-in says is asking. */
async function chats(request: Request, userId: string): Promise<Response> {
  const id = new URL(request.url).pathname.split('/').at(-1) ?? '';
  const key = JSON.stringify([userId, id]);
  const stored = table.get(key) ?? [];
  if (request.method === 'GET') return Response.json(stored);
  if (request.method === 'DELETE') {
    table.delete(key);
    return new Response(null, { status: 204 });
  }
  const text = await request.text();
  if (text.length > 50_000_000) return new Response(null, { status: 413 });
  const events = z
    .array(z.looseObject({ seq: z.int().min(0), t: z.number(), type: z.string() }))
    .parse(JSON.parse(text)) as RunEvent[];
  // a batch that begins with 0 is a whole log, of any length, which replaces the stored one; any other batch follows
  // the stored events, or repeats some of them
  const [first] = events;
  if (first === undefined) return new Response(null, { status: 400 });
  const again = stored.slice(first.seq, first.seq + events.length);
  const follows = first.seq <= stored.length && isDeepStrictEqual(again, events.slice(0, again.length));
  if (first.seq !== 0 && !follows) return new Response(null, { status: 409 });
  table.set(key, [...stored.slice(0, first.seq), ...events]);
  return new Response(null, { status: 204 });
}
// #endregion

// #region storage
/** Keeps runs in the database of a server, under the chat's id. */
export function serverStorage(url: string, send: typeof fetch = fetch): RunStorage {
  async function ask(id: string, init?: RequestInit): Promise<Response> {
    const response = await send(`${url}/${encodeURIComponent(id)}`, init);
    if (response.ok) return response;
    // another device has gone on with the chat, which no other try changes
    const details = response.status === 409 ? { reason: 'other_tab' } : {};
    throw new CuelineError('storage_failed', `The chat could not be stored (${response.status}).`, {
      details,
    });
  }
  return {
    async load(id) {
      const events = (await (await ask(id)).json()) as RunEvent[];
      return events.length === 0 ? undefined : events;
    },
    async append(id, events) {
      await ask(id, { method: 'POST', body: JSON.stringify(events) });
    },
    async remove(id) {
      await ask(id, { method: 'DELETE' });
    },
  };
}
// #endregion

const asAda: typeof fetch = (input, init) => chats(new Request(input, init), 'ada');
const storage = serverStorage('https://app.example/api/chats', asAda);
const chat = definePrompt('chat', (prompt) => prompt.defSystem('role', 'You are a helpful assistant.'));
const model = scriptedModel(['Hello Ada!', 'You said hi.']);

const first = createRun(chat, { id: 'chat-1', storage, model });
await first.send('Hi!');
await new Promise((resolve) => setTimeout(resolve, 300)); // batches are written a tenth of a second apart

// another device, the same user
const later = createRun(chat, { id: 'chat-1', storage, model });
await later.restored;
console.log(later.getState().messages.length, await later.send('What did I say?'));
// prints: 2 You said hi.

// a retry stores what it keeps of the run as one batch, however much that is
const long = scriptedModel([
  [{ text: 'Let me see. '.repeat(200), chunkSize: 2 }, { toolCall: { name: 'look', input: {} } }],
  [{ throw: 'The line is dead.' }],
  'I see.',
]);
const looking = definePrompt('looking', (prompt) => {
  prompt.defTool('look', 'Looks', z.object({}), () => 'a door');
  prompt.$`What do you see?`;
});
const broken = createRun(looking, { id: 'chat-2', storage, model: long });
await broken.start().catch(() => {});
await new Promise((resolve) => setTimeout(resolve, 300));
await broken.retry();
await new Promise((resolve) => setTimeout(resolve, 300));
console.log(table.get('["ada","chat-2"]')?.length === broken.log().length, broken.getState().storageError);
// prints: true undefined
