/** Globals of the worker that a script does not need, and that the policy would refuse with a worse message. */
const removed = [
  'postMessage',
  'close',
  'importScripts',
  'Worker',
  'SharedWorker',
  'BroadcastChannel',
  'indexedDB',
  'caches',
  // An endless shader stops the whole page's frames.
  'OffscreenCanvas',
  'OffscreenCanvasRenderingContext2D',
  'WebGLRenderingContext',
  'WebGL2RenderingContext',
  'GPU',
  'GPUAdapter',
  'GPUDevice',
];

/** The same for `navigator`. */
const removedFromNavigator = ['gpu', 'ml', 'storage', 'locks', 'serviceWorker', 'usb', 'serial', 'hid'];

const network = ['fetch', 'XMLHttpRequest', 'WebSocket', 'EventSource', 'WebTransport'];

/**
 * Removes everything that reaches outside the worker. The frame's policy blocks all of it anyway; this gives the script
 * a helpful message, and keeps it from posting messages to the page by accident.
 */
export function tidyScope(scope: object): void {
  for (const name of removed) remove(scope, name);
  const { navigator } = scope as { navigator?: object };
  if (navigator !== undefined) for (const name of removedFromNavigator) remove(navigator, name);
  for (const name of network) {
    if (!(name in scope)) continue;
    Object.defineProperty(scope, name, {
      configurable: true,
      writable: true,
      value: function refused(): never {
        throw new TypeError(
          `${name} is not available: a script here has no network. Put the data into the script, ` +
            'or let a tool make it up.',
        );
      },
    });
  }
}

function remove(scope: object, name: string): void {
  // Browsers differ in which object of the chain has it.
  for (let at: object | null = scope; at !== null; at = Object.getPrototypeOf(at) as object | null) {
    if (Object.hasOwn(at, name)) Reflect.deleteProperty(at, name);
  }
}
