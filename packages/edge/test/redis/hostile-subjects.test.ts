import { createRedisLimits } from '@cueline/edge/redis';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';

/** The keys of a subject's account, by what a client is asked. */
async function keysOf(subject: string): Promise<string[]> {
  const asked: string[][] = [];
  const client = {
    isOpen: true,
    eval: () => Promise.reject(new Error('Not here.')),
    evalSha: (_sha: string, { keys }: { keys: string[] }) => Promise.resolve(asked.push(keys) && null),
    duplicate: () => Promise.reject(new Error('Not here.')) as never,
  };
  await createRedisLimits(client).settle({ subject, id: '1', tokens: 1 });
  return asked.flat();
}

/**
 * The part of a key that decides its slot in a cluster: the text between the first brace and the next closing one, or
 * the whole key.
 */
function tagOf(key: string): string {
  return /\{([^}]+)\}/.exec(key.slice(key.indexOf('{')))?.[1] ?? key;
}

const subject = fc.string({
  unit: fc.constantFrom('a', '{', '}', '%', ':', '7D', 'begun'),
  minLength: 1,
  maxLength: 5,
});

test('for any name of a subject, its account is separate and in the slot of all accounts', async () => {
  await fc.assert(
    fc.asyncProperty(subject, subject, async (one, other) => {
      const [keys, others] = [await keysOf(one), await keysOf(other)];
      // a script may touch the keys of one slot only: those of the subject, and those of all together
      expect(new Set([...keys, ...others].map(tagOf))).toEqual(new Set(['limits']));
      const shared = keys.filter((key) => others.includes(key));
      expect(shared).toEqual(one === other ? keys : ['cueline:{limits}:total:calls']);
    }),
    { numRuns: 500 },
  );
});
