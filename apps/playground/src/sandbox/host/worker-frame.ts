import { bootstrapSource, framePolicy } from '../bootstrap.ts';
import type { RelayCommand, RelayNotice } from '../frame/relay.ts';
import type { SandboxLimits } from '../limits.ts';
import { createWatchdog, type Watchdog } from '../watchdog.ts';

/** Why a frame is no longer usable. */
export type WorkerEnd = {
  reason: Extract<RelayNotice, { type: 'ended' }>['reason'] | 'boot';
  detail?: string;
};

/** One frame with one worker in it, for one run. */
export type WorkerFrame = {
  /**
   * Messages from now on go to `onMessage`, and the worker must answer the relay. `onEnd` is called once if
   * the frame dies (not when it is closed).
   */
  open(onMessage: (text: string) => void, onEnd: (end: WorkerEnd) => void): void;
  /**
   * Whether frame and worker still answer: a browser may have ended their process while they waited. A worker
   * that is still starting counts as alive.
   */
  answers(): Promise<boolean>;
  send(text: string): void;
  /** Removes frame and worker, whatever they are doing. */
  close(): void;
};

// The page reads at most 64 messages (see the relay) in this time: a flood waits outside, in the frame.
const readEvery = 8;

/**
 * Creates a frame that starts a worker. Messages wait until the frame is opened; `onUnused` is called if it dies
 * before that.
 */
export function createWorkerFrame(limits: SandboxLimits, onUnused: (end: WorkerEnd) => void): WorkerFrame {
  return new IframeWorker(limits, onUnused);
}

/** An iframe of an opaque origin, whose worker runs the script. */
class IframeWorker implements WorkerFrame {
  readonly #limits: SandboxLimits;
  readonly #onUnused: (end: WorkerEnd) => void;
  readonly #channel = new MessageChannel();
  readonly #port = this.#channel.port1;
  readonly #waiting: string[] = [];
  #receiver: ((text: string) => void) | undefined;
  #onEnd: ((end: WorkerEnd) => void) | undefined;
  #end: WorkerEnd | undefined;
  #booted = false;
  #read = 0;
  #onAnswer: (() => void) | undefined;
  #readTimer: ReturnType<typeof setTimeout> | undefined;
  #watchdog: Watchdog | undefined;
  #frame: HTMLIFrameElement | undefined;
  readonly #bootTimer;

  constructor(limits: SandboxLimits, onUnused: (end: WorkerEnd) => void) {
    this.#limits = limits;
    this.#onUnused = onUnused;
    this.#bootTimer = setTimeout(() => this.#die({ reason: 'boot' }), limits.boot);
    this.#port.addEventListener('message', this.#receive);
    this.#port.start();
    this.#boot().catch((error: unknown) => this.#die({ reason: 'boot', detail: String(error) }));
  }

  open(onMessage: (text: string) => void, whenEnded: (end: WorkerEnd) => void): void {
    this.#receiver = onMessage;
    this.#onEnd = whenEnded;
    if (this.#end !== undefined) return whenEnded(this.#end);
    this.#watch();
    for (const text of this.#waiting.splice(0)) onMessage(text);
  }

  answers(): Promise<boolean> {
    return new Promise((resolve) => {
      if (!this.#booted || this.#end !== undefined) return resolve(this.#end === undefined);
      const settle = (answer: boolean): void => {
        clearTimeout(timer);
        this.#onAnswer = undefined;
        resolve(answer);
      };
      const timer = setTimeout(() => settle(false), this.#limits.check);
      this.#onAnswer = () => settle(true);
      this.#command({ type: 'check' });
    });
  }

  send(text: string): void {
    const { port1: port } = this.#channel;
    port.postMessage(text);
  }

  close(): void {
    this.#end ??= { reason: 'silent' };
    this.#close();
  }

  readonly #receive = ({ data }: MessageEvent<string | RelayNotice>): void => {
    this.#watchdog?.heard();
    if (typeof data === 'string') {
      if (!this.#booted) {
        this.#booted = true;
        clearTimeout(this.#bootTimer);
        this.#watch();
      }
      this.#read += 1;
      this.#readTimer ??= setTimeout(() => {
        this.#command({ type: 'read', count: this.#read });
        this.#read = 0;
        this.#readTimer = undefined;
      }, readEvery);
      if (this.#receiver === undefined) this.#waiting.push(data);
      else this.#receiver(data);
    } else if (data.type === 'answers') {
      this.#onAnswer?.();
    } else if (data.type === 'ended') {
      this.#die({ reason: data.reason, ...(data.detail === undefined ? {} : { detail: data.detail }) });
    }
  };

  #command(message: RelayCommand): void {
    const { port1: port } = this.#channel;
    port.postMessage(message);
  }

  #close(): void {
    clearTimeout(this.#bootTimer);
    clearTimeout(this.#readTimer);
    this.#watchdog?.stop();
    this.#command({ type: 'close' });
    this.#port.removeEventListener('message', this.#receive);
    // Without this delay, the frame could be gone before it handles the command, and a busy worker could outlive it.
    setTimeout(() => {
      this.#port.close();
      this.#frame?.remove();
    }, 50);
  }

  #die(reason: WorkerEnd): void {
    if (this.#end !== undefined) return;
    this.#end = reason;
    this.#close();
    (this.#onEnd ?? this.#onUnused)(reason);
  }

  /** Begins only after the worker has started, which takes time on a busy machine. */
  #watch(): void {
    if (!this.#booted || this.#receiver === undefined) return;
    this.#command({ type: 'watch' });
    // The relay watches the worker; this watches the relay, whose process may be gone.
    this.#watchdog ??= createWatchdog({
      every: 1_000,
      patience: Math.max(5_000, this.#limits.silence * 2),
      onTick: () => {},
      onSilent: () => this.#die({ reason: 'silent' }),
    });
  }

  async #boot(): Promise<void> {
    const { bootstrapHash, relay, runtime } = await import('virtual:sandbox-runtime');
    if (this.#end !== undefined) return;
    this.#frame = createFrame(framePolicy(bootstrapHash), (target) =>
      // An opaque origin has no name that could be a message's target.
      target.postMessage({ relay, runtime, limits: this.#limits }, '*', [this.#channel.port2]),
    );
  }
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
