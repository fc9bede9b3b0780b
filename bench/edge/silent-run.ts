import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { deltaText } from '../core/delta-model.ts';
import { median, printTable } from '../table.ts';
import { startProcess } from './process.ts';
import { startRedis } from './redis.ts';

const RUNS = 100;
const WARM_UP = 10;

/** How soon a client that comes back to a run in which nothing happens has an answer that goes on. */
export async function benchQuietResume(): Promise<void> {
  using redis = await startRedis();
  using own = await startProcess('served-route.ts', 'route', 'quiet');
  using here = redis && (await startProcess('served-route.ts', 'route', 'quiet', redis.path));
  using there = redis && (await startProcess('served-route.ts', 'route', 'quiet', redis.path));
  const rows = [['to the instance where it runs, in memory', ...(await comeBack(own.url, own.url))]];
  if (here !== undefined && there !== undefined) {
    rows.push(['to another instance, over Redis', ...(await comeBack(here.url, there.url))]);
  }
  printTable(`edge: headers for a client that comes back to a quiet run, ${RUNS} runs, one at a time`, [
    ['', 'median', 'p90', 'most'],
    ...rows,
  ]);
}

/** Starts runs in one place, and asks for them in another. */
async function comeBack(start: string, again: string): Promise<string[]> {
  const times: number[] = [];
  for (let run = -WARM_UP; run < RUNS; run += 1) {
    const headers = { origin: 'https://play.example', authorization: `Bearer ${run}` };
    const started = request(start, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
    });
    const { response, last } = await toWord(started);
    const query = `?run=${String(response.headers['x-cueline-run'])}`;
    const from = performance.now();
    const back = request(`${again}${query}&after=${last}`, { headers });
    const { statusCode } = await answerTo(back);
    if (run >= 0) times.push(performance.now() - from);
    if (statusCode !== 200) throw new Error(`A run that goes on answered ${statusCode}.`);
    started.destroy();
    back.destroy();
    await answerTo(request(`${start}${query}`, { method: 'DELETE', headers }));
  }
  times.sort((one, other) => one - other);
  return [median(times), times[Math.floor(RUNS * 0.9)]!, times.at(-1)!].map((ms) => `${ms.toFixed(1)} ms`);
}

function answerTo(sent: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    sent.on('error', reject);
    sent.on('response', (response) => {
      // whoever breaks it off knows
      response.on('error', () => {});
      resolve(response);
    });
    sent.end(sent.method === 'POST' ? '{}' : undefined);
  });
}

/** Reads an answer as far as the word after which nothing comes, and gives the number of its event. */
async function toWord(sent: ClientRequest): Promise<{ response: IncomingMessage; last: string }> {
  const response = await answerTo(sent);
  let text = '';
  for await (const part of response.iterator({ destroyOnReturn: false })) {
    text += String(part);
    if (text.includes(`:"${deltaText}"`)) break;
  }
  return { response, last: /.*^id: (\d+)$/ms.exec(text)?.[1] ?? '-1' };
}
