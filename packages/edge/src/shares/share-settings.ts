import { CuelineError } from '@cueline/core';
import { checkNames, refusePromises } from '@cueline/core/server';
import { checkStore } from '../base/check-store.ts';
import { createIdentify, createNetworkCount } from '../http/identify.ts';
import { checkOrigins } from '../http/origins.ts';
import { checkLimitStore, type LimitStore } from '../limits/limit-store.ts';
import { createMemoryLimits } from '../limits/memory-limits.ts';
import { createMemoryShares } from './memory-shares.ts';
import type { ShareStorage } from './share-storage.ts';
import type { ShareLimits, ShareStoreEvent, ShareStoreOptions } from './share-store-options.ts';

/** The options with all defaults filled in. */
export type ShareSettings = {
  basePath: string;
  storage: ShareStorage;
  requesterOf: ReturnType<typeof checkOrigins>;
  identify: ReturnType<typeof createIdentify>;
  /** Counts a share that is opened, by its reader's network. */
  countRead(request: Request): Promise<void>;
  limits: ShareLimits;
  limitStore: LimitStore;
  /** Never throws. */
  report(event: ShareStoreEvent): void;
  now: () => number;
};

const defaults: ShareLimits = {
  bodyBytes: 1 << 20,
  rpm: 10,
  concurrent: 4,
  dailyBytes: 20 << 20,
  readsPerMinute: 300,
  lifetimeMs: 30 * 24 * 60 * 60_000,
};

/** Every option. The compiler compares this list with the type. */
const optionNames: Record<keyof ShareStoreOptions, true> = {
  address: true,
  auth: true,
  basePath: true,
  development: true,
  limits: true,
  now: true,
  onEvent: true,
  origins: true,
  storage: true,
  store: true,
};

/** Checks the options once, and fills in the defaults. @throws CuelineError `invalid_options` */
export function readShareSettings(options: ShareStoreOptions): ShareSettings {
  checkNames('createShareStore', options ?? null, Object.keys(optionNames), 'invalid_options', (name) =>
    name === 'limitStore'
      ? 'createShareStore has no "limitStore". Write store: createRedisLimits(client).'
      : undefined,
  );
  refusePromises('createShareStore', options);
  const { storage, store } = options;
  const write = 'storage: createRedisShares(client)';
  checkStore('createShareStore: storage', storage, ['put', 'get', 'remove'], write);
  checkLimitStore('createShareStore', 'store', store);
  const basePath = options.basePath ?? '/api/shares';
  if (!/^(\/[\w.~-]+)+$/.test(basePath) || basePath.split('/').some((part) => /^\.+$/.test(part))) {
    throw invalidOptionsError('basePath is not a path such as /api/shares, without a slash at its end.');
  }
  const now = options.now ?? Date.now;
  // an observer must not be able to break what it observes
  const report: ShareSettings['report'] = (event) =>
    void (async () => options.onEvent?.(event))().catch(() => {});
  const limits = readLimits(options.limits ?? {});
  const onFailure = (error: unknown): void => report({ type: 'failed', error });
  const reads = createNetworkCount(limits.readsPerMinute, options.address, onFailure);
  return {
    basePath,
    storage: storage ?? createMemoryShares({ now }),
    requesterOf: checkOrigins(options.origins, options.development),
    identify: createIdentify(options, onFailure),
    async countRead(request) {
      reads.count(await reads.read(request));
    },
    limits,
    limitStore: store ?? createMemoryLimits({ now }),
    report,
    now,
  };
}

function readLimits(options: Partial<ShareLimits>): ShareLimits {
  const limits = { ...defaults };
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue;
    if (!Object.hasOwn(defaults, name)) {
      throw invalidOptionsError(`There is no limit "${name}". Known: ${Object.keys(defaults).join(', ')}.`);
    }
    // written so that NaN fails, too
    if (typeof value !== 'number' || !(value > 0))
      throw invalidOptionsError(`limits.${name} is not a number above 0.`);
    limits[name as keyof ShareLimits] = value;
  }
  // every share has an end
  if (!Number.isFinite(limits.lifetimeMs))
    throw invalidOptionsError('limits.lifetimeMs is not finite. Shares expire.');
  if (limits.dailyBytes < limits.bodyBytes) {
    throw invalidOptionsError(
      'limits.dailyBytes is less than limits.bodyBytes: nothing could ever be shared.',
    );
  }
  return limits;
}

function invalidOptionsError(message: string): CuelineError {
  return new CuelineError('invalid_options', `createShareStore: ${message}`);
}
