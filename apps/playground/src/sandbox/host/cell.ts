import { bootstrapSource, framePolicy } from '../bootstrap.ts';
import type { RelayCommand, RelayNotice } from '../frame/relay.ts';
import type { SandboxLimits } from '../limits.ts';
import { createWatchdog, type Watchdog } from '../watchdog.ts';

/** Why a cell is no longer usable. */
export type CellEnd = { reason: Extract<RelayNotice, { type: 'ended' }>['reason'] | 'boot'; detail?: string };

/** One frame with one worker in it, for one run. */
export type Cell = {
  /**
   * Messages from now on go to `onMessage`, and the worker must answer the relay. `onEnd` is called once if the cell
   * dies (not
   * when it is closed).
   */
  open(onMessage: (text: string) => void, onEnd: (end: CellEnd) => void): void;
  /**
   * Whether frame and worker still answer: a browser may have ended their process while they waited. A worker that is
   * still
   * starting counts as alive.
   */
  answers(): Promise<boolean>;
  send(text: string): void;
  /** Removes frame and worker, whatever they are doing. */
  close(): void;
};

// The page reads at most 64 messages (see the relay) in this time: a flood waits outside, in the frame.
const readEvery = 8;

/**
 * Creates a frame that starts a worker. Messages wait until the cell is opened; `onUnused` is called if it dies
 * before that.
 */
export function createCell(limits: SandboxLimits, onUnused: (end: CellEnd) => void): Cell {
  const { port1: port, port2 } = new MessageChannel();
  const waiting: string[] = [];
  let receiver: ((text: string) => void) | undefined;
  let onEnd: ((end: CellEnd) => void) | undefined;
  let end: CellEnd | undefined;
  let booted = false;
  let read = 0;
  let onAlive: (() => void) | undefined;
  let readTimer: ReturnType<typeof setTimeout> | undefined;
  let watchdog: Watchdog | undefined;
  let frame: HTMLIFrameElement | undefined;

  const command = (message: RelayCommand): void => port.postMessage(message);
  const close = (): void => {
    clearTimeout(bootTimer);
    clearTimeout(readTimer);
    watchdog?.stop();
    command({ type: 'close' });
    port.removeEventListener('message', receive);
    // The command needs the frame for a moment; without it a busy worker could outlive its frame.
    setTimeout(() => {
      port.close();
      frame?.remove();
    }, 50);
  };
  const die = (reason: CellEnd): void => {
    if (end !== undefined) return;
    end = reason;
    close();
    (onEnd ?? onUnused)(reason);
  };
  const bootTimer = setTimeout(() => die({ reason: 'boot' }), limits.boot);

  /** Begins only after the worker has started, which takes time on a busy machine. */
  const watch = (): void => {
    if (!booted || receiver === undefined) return;
    command({ type: 'watch' });
    // The relay watches the worker; this watches the relay, whose process may be gone.
    watchdog ??= createWatchdog({
      every: 1_000,
      patience: Math.max(5_000, limits.silence * 2),
      onTick: () => {},
      onSilent: () => die({ reason: 'silent' }),
    });
  };
  const receive = ({ data }: MessageEvent<string | RelayNotice>): void => {
    watchdog?.heard();
    if (typeof data === 'string') {
      if (!booted) {
        booted = true;
        clearTimeout(bootTimer);
        watch();
      }
      read += 1;
      readTimer ??= setTimeout(() => {
        command({ type: 'read', count: read });
        read = 0;
        readTimer = undefined;
      }, readEvery);
      if (receiver === undefined) waiting.push(data);
      else receiver(data);
    } else if (data.type === 'alive') {
      onAlive?.();
    } else {
      die({ reason: data.reason, ...(data.detail === undefined ? {} : { detail: data.detail }) });
    }
  };

  const boot = async (): Promise<void> => {
    const { bootstrapHash, relay, runtime } = await import('virtual:sandbox-runtime');
    if (end !== undefined) return;
    frame = createFrame(framePolicy(bootstrapHash), (target) =>
      // An opaque origin has no name that messages could be sent to.
      target.postMessage({ relay, runtime, limits }, '*', [port2]),
    );
  };

  port.addEventListener('message', receive);
  port.start();
  boot().catch((error: unknown) => die({ reason: 'boot', detail: String(error) }));

  return {
    open(onMessage, whenEnded) {
      receiver = onMessage;
      onEnd = whenEnded;
      if (end !== undefined) return whenEnded(end);
      watch();
      for (const text of waiting.splice(0)) onMessage(text);
    },
    answers: () =>
      new Promise((resolve) => {
        if (!booted || end !== undefined) return resolve(end === undefined);
        const settle = (answer: boolean): void => {
          clearTimeout(timer);
          onAlive = undefined;
          resolve(answer);
        };
        const timer = setTimeout(() => settle(false), limits.check);
        onAlive = () => settle(true);
        command({ type: 'check' });
      }),
    send: (text) => port.postMessage(text),
    close: () => {
      end ??= { reason: 'silent' };
      close();
    },
  };
}

function createFrame(policy: string, onLoad: (target: Window) => void): HTMLIFrameElement {
  const frame = document.createElement('iframe');
  frame.setAttribute('sandbox', 'allow-scripts');
  frame.setAttribute('aria-hidden', 'true');
  frame.tabIndex = -1;
  frame.title = 'Sandbox';
  frame.style.display = 'none';
  frame.srcdoc =
    `<!doctype html><meta http-equiv="Content-Security-Policy" content="${policy}">` +
    `<script>${bootstrapSource}</script>`;
  frame.addEventListener('load', () => frame.contentWindow && onLoad(frame.contentWindow), { once: true });
  document.body.append(frame);
  return frame;
}
