import typesUrl from 'virtual:cueline-editor-types';
import { usePlayground } from '../state/store.ts';
import { scriptPath } from './script-path.ts';
import type { FirstCheck, FirstResult } from './typescript-worker.ts';
import TypeScriptWorker from './typescript-worker.ts?worker';

/** TypeScript in a thread of its own, with the script that it checks before the editor asks for anything. */
type Started = { worker: Worker; first: FirstCheck; isClean: Promise<boolean | undefined> };

// TypeScript and the types load while the editor loads.
const atFirst = startWorker();
let waiting: Worker | undefined = atFirst.worker;

/** Starts TypeScript with the script that is open now. */
function startWorker(): Started {
  const worker = new TypeScriptWorker();
  const { script, openScript } = usePlayground.getState();
  const first: FirstCheck = { typesUrl, path: scriptPath(openScript.id), text: script };
  const isClean = new Promise<boolean | undefined>((resolve) => {
    const read = ({ data }: MessageEvent<FirstResult>): void => resolve(data.isClean);
    worker.addEventListener('message', read, { once: true });
  });
  worker.postMessage(first, []);
  return { worker, first, isClean };
}

/** Returns the worker that started loading with this module, or a new one if that one is taken. */
export function takeTypeScriptWorker(): Worker {
  const worker = waiting ?? startWorker().worker;
  waiting = undefined;
  return worker;
}

/**
 * Returns a promise of the result of TypeScript's first check: true if the script has no errors, undefined if
 * TypeScript failed on it. Returns undefined if that check was of another script or text.
 */
export function checkedFirst(path: string, text: string): Promise<boolean | undefined> | undefined {
  const { first, isClean } = atFirst;
  return first.path === path && first.text === text ? isClean : undefined;
}
