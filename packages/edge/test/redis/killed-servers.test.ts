import { expect, test } from 'vitest';
import { instancesWith } from './instances.ts';
import { killServers } from './killed-servers.ts';
import { describeWithRedis } from './server.ts';

describeWithRedis('a server that is killed', (redis) => {
  const start = instancesWith(redis);

  test('12 runs whose server is killed continue at another, and no writing call takes effect twice', async () => {
    const { interrupted, results, writes } = await killServers(redis, start, 1, 12);
    expect(results).toEqual(results.map(() => 'Done.'));
    expect(interrupted).toBeGreaterThan(0);
    expect(writes.filter(([, , times]) => times !== 1)).toEqual([]);
    expect(writes.length).toBeGreaterThan(12);
  }, 60_000);
});
