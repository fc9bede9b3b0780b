import { encodeLink } from '@cueline/core/link';
import { createShareStore } from '@cueline/edge';

// #region store
const shares = createShareStore({
  origins: ['https://play.example'],
  auth: 'none',
  // where the platform says who calls; a header that a client can set is no address
  address: (request) => request.headers.get('cf-connecting-ip') ?? '',
  limits: { lifetimeMs: 7 * 86_400_000 },
});
// #endregion

const from = { origin: 'https://play.example', 'cf-connecting-ip': '203.0.113.7' };
const put = await shares(
  new Request('https://play.example/api/shares', {
    method: 'POST',
    headers: { ...from, 'content-type': 'application/octet-stream' },
    body: encodeLink({ script: 'export default 1;' }).slice(1),
  }),
);
const { id } = (await put.json()) as { id: string };
const found = await shares(new Request(`https://play.example/api/shares/${id}`, { headers: from }));
console.log(put.status, id.length, found.status);
// prints: 201 22 200
