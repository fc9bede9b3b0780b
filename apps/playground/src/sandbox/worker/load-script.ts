import { CuelineError, definePrompt, type PromptDefinition } from '@cueline/core';
import { noDefaultExport, refusedImport } from '../script/modules.ts';
import type { ScriptPosition } from '../script/script-error.ts';
import { describeError } from './describe-error.ts';
import { locateInStack, locateSyntaxError } from './locate-error.ts';

/** The position in the compiled code that an error comes from; undefined if it did not pass through the script. */
export type LocateError = (error: unknown) => ScriptPosition | undefined;

/** A script error, with its position in the compiled code if that is known. */
export class LoadError extends CuelineError {
  readonly at: ScriptPosition | undefined;

  constructor(error: unknown, at: ScriptPosition | undefined) {
    const known = CuelineError.isInstance(error);
    super(known ? error.code : 'script_error', describeError(error), { cause: error });
    this.at = at;
  }
}

/** A script in this worker, before it is evaluated. */
export type OpenedScript = { url: string; locate: LocateError };

/** Gives compiled code an address, by which errors and definitions of the script are located. */
export function openScript(code: string): OpenedScript {
  const url = URL.createObjectURL(new Blob([code], { type: 'text/javascript' }));
  return { url, locate: (error) => locateInStack(error, url) };
}

/**
 * Evaluates compiled code, and returns its default export as the prompt to run. `import()` of a blob is the
 * only way to do this without `eval`. Throws {@link LoadError}.
 */
export async function loadScript(
  { url, locate }: OpenedScript,
  modules: Record<string, unknown>,
): Promise<PromptDefinition<unknown>> {
  try {
    const evaluate = await importScript(url);
    const exports: Record<string, unknown> = {};
    await evaluate((name: string) => {
      if (Object.hasOwn(modules, name)) return modules[name];
      throw new CuelineError('script_error', refusedImport(name));
    }, exports);
    return toDefinition(exports['default']);
  } catch (error) {
    throw error instanceof LoadError ? error : new LoadError(error, locate(error));
  }
}

type Evaluate = (require: (name: string) => unknown, exports: Record<string, unknown>) => Promise<void>;

async function importScript(url: string): Promise<Evaluate> {
  try {
    const module = (await import(/* @vite-ignore */ url)) as { default: Evaluate };
    return module.default;
  } catch (error) {
    throw new LoadError(error, locateSyntaxError(error, url));
  }
}

function toDefinition(exported: unknown): PromptDefinition<unknown> {
  if (typeof exported === 'function') {
    return definePrompt(exported.name || 'script', exported as PromptDefinition<unknown>['run']);
  }
  if (typeof exported === 'object' && exported !== null && 'kind' in exported && exported.kind === 'prompt') {
    return exported as PromptDefinition<unknown>;
  }
  if (exported === undefined) throw new CuelineError('script_error', noDefaultExport);
  throw new CuelineError(
    'script_error',
    `The script's default export is ${exported === null ? 'null' : `a value of type ${typeof exported}`}, not a prompt. ` +
      "Export a function, or what definePrompt returns: export default definePrompt('hello', async (prompt) => { … });",
  );
}
