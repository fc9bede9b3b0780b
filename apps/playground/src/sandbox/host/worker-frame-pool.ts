import type { SandboxLimits } from '../limits.ts';
import { createWorkerFrame, type WorkerFrame } from './worker-frame.ts';

/** Worker frames for the runs of a page. Each serves one script; the next one is started before it is needed. */
export type WorkerFramePool = {
  /** Starts a frame, and from now on another one after each that is taken. */
  warm(): void;
  /** Returns a frame with a worker in it. The next one is started `pause` milliseconds later. */
  take(pause: number): WorkerFrame;
  /** Starts the next frame now, if its pause is not over yet. */
  ready(): void;
  /** Closes the waiting frame, and starts no more frames in advance. */
  dispose(): void;
};

export function createWorkerFramePool(limits: SandboxLimits): WorkerFramePool {
  let waiting: WorkerFrame | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let keepsWarm = false;

  /** Returns the waiting frame, or a new one, which becomes the waiting frame. */
  function start(): WorkerFrame {
    clearTimeout(timer);
    if (waiting !== undefined) return waiting;
    const frame = createWorkerFrame(limits, () => {
      if (waiting === frame) waiting = undefined;
    });
    waiting = frame;
    return frame;
  }

  return {
    warm() {
      keepsWarm = true;
      start();
    },
    take(pause) {
      const frame = start();
      waiting = undefined;
      if (keepsWarm) timer = setTimeout(start, pause);
      return frame;
    },
    ready() {
      if (keepsWarm) start();
    },
    dispose() {
      keepsWarm = false;
      clearTimeout(timer);
      waiting?.close();
      waiting = undefined;
    },
  };
}
