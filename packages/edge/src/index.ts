// Prompt routes: whole prompts on the server
export { createPromptRoute, type PromptRoute } from './route/create-prompt-route.ts';
export type {
  AcceptedRun,
  AskedRun,
  PromptRouteEvent,
  PromptRouteLimits,
  PromptRouteOptions,
  RoutePrompt,
} from './route/prompt-route-options.ts';
export type {
  ApprovalContext,
  ApprovalPermission,
  EditContext,
  EditPermission,
} from './route/permissions.ts';
export type { ModelUsage } from './route/usage/model-usage.ts';
export { createMemoryRuns, type MemoryRunsOptions } from './stores/memory-runs.ts';
export type { EventBatch, NewRun, RunLogStore, RunMessage, StoredRun } from './stores/run-log-store.ts';

// Durable runs behind a route
export { createRunGuard, type RunGuard } from './route/guard/run-guard.ts';
export type { GuardedRun, GuardedStep } from './route/guard/guarded-run.ts';
export type { GuardLimits, RunGuardOptions } from './route/guard/guard-settings.ts';
export type { DurableHost } from './route/runs/durable-host.ts';

// The model proxy: model calls with the server's keys
export { createModelProxy } from './proxy/create-model-proxy.ts';
export type { ModelProxyOptions, ProxiedProvider, ProxyLimits, ProxyTimeouts } from './proxy/options.ts';
export type { ProxyEvent } from './proxy/proxy-event.ts';

// Shares
export { createShareStore } from './shares/create-share-store.ts';
export type { ShareLimits, ShareStoreEvent, ShareStoreOptions } from './shares/share-store-options.ts';
export { createMemoryShares, type MemorySharesOptions } from './shares/memory-shares.ts';
export type { ShareStorage, StoredShare } from './shares/share-storage.ts';

// What they share: who calls, what it may cost, and when to stop
export type { Authenticate, Identity } from './http/identify.ts';
export type { RequestHeaderOptions } from './http/cors.ts';
export type { RouteContext } from './base/environment.ts';
export { createMemoryLimits, type MemoryLimitsOptions } from './limits/memory-limits.ts';
export type {
  Adjusted,
  Adjustment,
  LimitStore,
  Reservation,
  Reserved,
  Settlement,
} from './limits/limit-store.ts';
export type { ModelPrice, Prices } from './limits/prices.ts';
export { createKillSwitch, type KillSwitch, type KillSwitchOption } from './limits/kill-switch.ts';
