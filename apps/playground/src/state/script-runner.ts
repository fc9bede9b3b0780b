import type { createModel } from '../model/create-model.ts';
import { secretsOf } from '../model/connection.ts';
import type { scenesFor } from '../examples/scenes-for.ts';
import type { Sandbox } from '../sandbox/index.ts';
import { usePlayground } from './store.ts';

/** The code that runs a script. It is large, so the first paint does not wait for it. */
export type RunParts = {
  sandbox: Sandbox;
  createModel: typeof createModel;
  scenesFor: typeof scenesFor;
};

let parts: RunParts | undefined;
let loading: Promise<RunParts> | undefined;

/** The code that runs a script, if it has loaded. */
export function loadedRunParts(): RunParts | undefined {
  return parts;
}

/** Loads the code that runs a script. After a failure, for example without a network, the next call tries again. */
export function loadRunParts(): Promise<RunParts> {
  loading ??= load().catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function load(): Promise<RunParts> {
  const [{ createSandbox }, models, scenes] = await Promise.all([
    import('../sandbox/index.ts'),
    import('../model/create-model.ts'),
    import('../examples/scenes-for.ts'),
  ]);
  parts = {
    sandbox: createSandbox({ secrets: () => secretsOf(usePlayground.getState().keys) }),
    createModel: models.createModel,
    scenesFor: scenes.scenesFor,
  };
  return parts;
}

/**
 * Loads the code that runs a script, starts a worker and creates the model in advance, so that a run starts at once.
 */
export async function prepareRuns(): Promise<void> {
  const { sandbox, createModel } = await loadRunParts();
  sandbox.warm();
  const { script, connection, keys } = usePlayground.getState();
  sandbox.prepare(script);
  await createModel({ connection, keys });
}
