import { request } from 'node:http';
import { deltaText } from '../core/delta-model.ts';
import { median, printTable } from '../table.ts';
import { type ServingProcess, startProcess } from './process.ts';
import { startRedis } from './redis.ts';
import { WORDS } from './say-prompt.ts';

const RUNS = 50;
const WARM_UP = 6;
const ROUNDS = 25;

/** Measures the cost of a route per event for its server, compared with the code of an app without a route. */
export async function benchServedStreams(): Promise<void> {
  using redis = await startRedis();
  using bare = await startProcess('served-route.ts', 'bare', 'burst');
  using memory = await startProcess('served-route.ts', 'route', 'burst');
  using shared = redis && (await startProcess('served-route.ts', 'route', 'burst', redis.path));
  const ways: [name: string, process: ServingProcess][] = [
    ["a bare handler that streams the AI SDK's own response", bare],
    ['the route, runs in memory', memory],
    ...(shared === undefined ? [] : [['the route, runs in Redis', shared] as [string, ServingProcess]]),
  ];
  const rounds = ways.map(() => [] as number[]);
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    for (let turn = 0; turn < ways.length; turn++) {
      const index = (turn + round + WARM_UP) % ways.length;
      const [, process] = ways[index]!;
      const before = (await process.usage()).cpu;
      await Promise.all(Array.from({ length: RUNS }, (_, run) => readStream(process.url, run)));
      const cpu = ((await process.usage()).cpu - before) / (RUNS * WORDS);
      if (round >= 0) rounds[index]!.push(cpu);
    }
  }
  const [first = []] = rounds;
  printTable(`edge: CPU of a server that streams ${RUNS} runs at once of ${WORDS} words, ${ROUNDS} rounds`, [
    ['', 'median', 'ratio', 'least', 'most'],
    ...ways.map(([name], index) => {
      const ratios = rounds[index]!.map((cpu, at) => cpu / first[at]!);
      const limits = [Math.min(...ratios), Math.max(...ratios)].map((ratio) => `×${ratio.toFixed(2)}`);
      return [
        name,
        `${median(rounds[index]!).toFixed(1)} µs/event`,
        `×${median(ratios).toFixed(2)}`,
        ...limits,
      ];
    }),
  ]);
  if (redis === undefined) console.log('  without Redis: there is no redis-server on the PATH');
}

/** Starts a run and reads all of it at minimal cost. Rejects if words are missing. */
function readStream(url: string, run: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    const sent = request(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        origin: 'https://play.example',
        authorization: `Bearer ${run}`,
      },
    });
    sent.on('error', reject);
    sent.on('response', (response) => {
      response.on('error', reject);
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () => {
        const words = Buffer.concat(parts).toString('latin1').split(`:"${deltaText}"`).length - 1;
        if (words === WORDS) resolve();
        else reject(new Error(`The stream delivered ${words} words of ${WORDS}.`));
      });
    });
    sent.end('{}');
  });
}
