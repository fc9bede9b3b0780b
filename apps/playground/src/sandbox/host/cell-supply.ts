import type { SandboxLimits } from '../limits.ts';
import { createCell, type Cell } from './cell.ts';

/** Cells for the runs of a page. Each serves one script; the next one is started before it is needed. */
export type CellSupply = {
  /** Starts a cell, and from now on another one after each that is taken. */
  warm(): void;
  /** Returns a cell with a worker in it. The next one is started `pause` milliseconds later. */
  take(pause: number): Cell;
  /** Starts the next cell now, if its pause is not over yet. */
  ready(): void;
  /** Closes the waiting cell, and starts no more cells in advance. */
  dispose(): void;
};

/** Creates a supply without any cell. */
export function createCellSupply(limits: SandboxLimits): CellSupply {
  let waiting: Cell | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let keepsWarm = false;

  /** Returns the waiting cell, or a new one, which becomes the waiting cell. */
  function start(): Cell {
    clearTimeout(timer);
    if (waiting !== undefined) return waiting;
    const cell = createCell(limits, () => {
      if (waiting === cell) waiting = undefined;
    });
    waiting = cell;
    return cell;
  }

  return {
    warm() {
      keepsWarm = true;
      start();
    },
    take(pause) {
      const cell = start();
      waiting = undefined;
      if (keepsWarm) timer = setTimeout(start, pause);
      return cell;
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
