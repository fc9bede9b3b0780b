// Fetches from a server on 127.0.0.1, and writes the outcome as JSON: <runtime> pinned-probe.ts <port>
import { fetchPinned, resolveHost } from '../../src/models/pinned-fetch.ts';

const port = process.argv.at(-1);
const here = { address: '127.0.0.1', family: 4 };
/** Also of this machine, where the server does not listen. */
const elsewhere = { address: '127.0.0.2', family: 4 };

async function get(host: string, path: string, pinned: typeof here): Promise<string> {
  try {
    const signal = AbortSignal.timeout(2_000);
    const response = await fetchPinned(new URL(`http://${host}:${port}${path}`), { signal }, pinned);
    return `${response.status} ${await response.text()}`;
  } catch {
    return 'failed';
  }
}

const addresses = (await resolveHost('localhost')) ?? [];
process.stdout.write(
  JSON.stringify({
    named: await get('files.test', '/file', here),
    moved: await get('files.test', '/moved', here),
    elsewhere: await get('localhost', '/file', elsewhere),
    address: await get('127.0.0.1', '/file', here),
    endless: await get('files.test', '/endless', here),
    isResolved: addresses.some(({ address }) => address === '127.0.0.1' || address === '::1'),
  }),
);
process.exit();
