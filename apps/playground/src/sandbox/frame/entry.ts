import { startRelay, type RelayLimits } from './relay.ts';

type BootMessage = { runtime: string; limits: RelayLimits };

// No policy that browsers enforce forbids WebRTC, and nothing here uses it.
for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection']) Reflect.deleteProperty(globalThis, name);

/** Called by the frame's inline script (`bootstrap.ts`), with the port and the message that it received. */
(globalThis as { startRelay?: unknown }).startRelay = (port: MessagePort, boot: BootMessage): void => {
  const worker = new Worker(URL.createObjectURL(new Blob([boot.runtime], { type: 'text/javascript' })));
  startRelay(
    {
      send: (message) => port.postMessage(message),
      listen(listener) {
        port.addEventListener('message', (event) => listener(event.data));
        port.start();
      },
    },
    {
      send: (message) => worker.postMessage(message, []),
      listen: (listener) => worker.addEventListener('message', (event) => listener(event.data)),
      onFailure: (listener) =>
        worker.addEventListener('error', (event) => {
          event.preventDefault();
          listener(event.message);
        }),
      terminate: () => worker.terminate(),
    },
    boot.limits,
  );
};
