import type { scriptedAnswersFor } from '../examples/scripted-answers-for.ts';
import { secretsOf } from '../model/connection.ts';
import type { createModel } from '../model/create-model.ts';
import type { Sandbox } from '../sandbox/index.ts';
import { isForeign, usePlayground } from './store.ts';

/** The code that runs a script. It is large, so the first paint does not wait for it. */
export type ScriptRunner = {
  sandbox: Sandbox;
  createModel: typeof createModel;
  scriptedAnswersFor: typeof scriptedAnswersFor;
};

let runner: ScriptRunner | undefined;
let loading: Promise<ScriptRunner> | undefined;

/** The code that runs a script, if it has loaded. */
export function loadedScriptRunner(): ScriptRunner | undefined {
  return runner;
}

/** Loads the code that runs a script. After a failure, for example without a network, the next call tries again. */
export function loadScriptRunner(): Promise<ScriptRunner> {
  loading ??= load().catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function load(): Promise<ScriptRunner> {
  const [{ createSandbox }, models, examples] = await Promise.all([
    import('../sandbox/index.ts'),
    import('../model/create-model.ts'),
    import('../examples/scripted-answers-for.ts'),
  ]);
  runner = {
    sandbox: createSandbox({ secrets: () => secretsOf(usePlayground.getState().keys) }),
    createModel: models.createModel,
    scriptedAnswersFor: examples.scriptedAnswersFor,
  };
  return runner;
}

/**
 * Loads the code that runs a script, starts a worker, compiles the user's script and creates the model in advance, so
 * that a run starts at once.
 */
export async function prepareRuns(): Promise<void> {
  const { sandbox, createModel } = await loadScriptRunner();
  sandbox.warm();
  const page = usePlayground.getState();
  const { script, connection, keys } = page;
  // a script from elsewhere is compiled once the user runs it
  sandbox.prepare(isForeign(page) ? undefined : script);
  await createModel({ connection, keys });
}
