import typesUrl from 'virtual:cueline-editor-types';
import TypeScriptWorker from './typescript-worker.ts?worker';

// TypeScript and the types load in a thread of their own while the editor loads.
let started: Worker | undefined = startWorker();

function startWorker(): Worker {
  const worker = new TypeScriptWorker();
  worker.postMessage(typesUrl, []);
  return worker;
}

/** Returns the worker that started loading with this module, or a new one if that one is taken. */
export function takeTypeScriptWorker(): Worker {
  const worker = started ?? startWorker();
  started = undefined;
  return worker;
}
