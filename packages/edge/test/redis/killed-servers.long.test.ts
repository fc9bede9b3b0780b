import { expect, test } from 'vitest';
import { instancesWith } from './instances.ts';
import { killServers } from './killed-servers.ts';
import { describeWithRedis } from './server.ts';

describeWithRedis('servers that are killed', (redis) => {
  const start = instancesWith(redis);

  test('runs whose server is killed at 200 random moments continue at another, and no writing call takes effect twice', async () => {
    const { interrupted, results, writes } = await killServers(redis, start, 25, 12);
    expect(results).toEqual(results.map(() => 'Done.'));
    expect(interrupted).toBeGreaterThanOrEqual(200);
    expect(writes.filter(([, , times]) => times !== 1)).toEqual([]);
  }, 600_000);
});
