import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { deltaText } from '../core/delta-model.ts';
import { median, printTable } from '../table.ts';
import { startProcess } from './process.ts';
import { startRedis } from './redis.ts';

const RUNS = 100;
const WARM_UP = 10;

/** Measures how soon a client that reconnects to a silent run has an open answer. */
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

/** Starts runs at one server, and reconnects at another. */
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
      // the abort below causes this rejection
      response.on('error', () => {});
      resolve(response);
    });
    sent.end(sent.method === 'POST' ? '{}' : undefined);
  });
}

/** Reads an answer up to its last word, and returns the number of that event. */
async function toWord(sent: ClientRequest): Promise<{ response: IncomingMessage; last: string }> {
  const response = await answerTo(sent);
  let text = '';
  for await (const part of response.iterator({ destroyOnReturn: false })) {
    text += String(part);
    if (text.includes(`:"${deltaText}"`)) break;
  }
  return { response, last: /.*^id: (\d+)$/ms.exec(text)?.[1] ?? '-1' };
}
