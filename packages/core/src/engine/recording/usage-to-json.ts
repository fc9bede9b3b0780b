import { isRecord } from '../../base/is-record.ts';
import type { TokenUsage } from '../../log/events.ts';
import { toJson } from '../../messages/to-json.ts';

const counts = ['inputTokens', 'outputTokens', 'totalTokens'] as const;

/** Returns the usage of a model call as JSON, without counts that are not numbers, which some models report. */
export function usageToJson<Usage extends TokenUsage>(usage: Usage): Usage {
  const json = toJson(usage);
  const known = (isRecord(json) ? json : {}) as Usage;
  for (const key of counts) if (typeof known[key] !== 'number') delete known[key];
  return known;
}
