/**
 * Returns the distance between two ticks in milliseconds: each tick gets at least `least` of the axis' `pixels`, and
 * room for its label.
 */
export function tickStep(end: number, pixels: number, least: number = 72): number {
  const wanted = (end * least) / Math.max(pixels, least);
  const leavesRoom = (step: number): boolean => {
    const label = tickLabel(Math.floor(end / step) * step, step);
    return step >= wanted && labelRoom(label) <= (step / end) * pixels;
  };
  return steps.find(leavesRoom) ?? Math.ceil(wanted / 3_600_000) * 3_600_000;
}

const steps: readonly number[] = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000,
  600_000, 900_000, 1_800_000, 3_600_000,
];

/** The ticks of an axis from 0 to `end`. */
export function ticksOf(end: number, step: number): readonly number[] {
  return Array.from({ length: Math.floor(end / step) + 1 }, (_, index) => index * step);
}

/** A tick's time: `0`, `200 ms`, `0.5 s`, `2 m`; `step` decides how many digits. */
export function tickLabel(time: number, step: number): string {
  if (time === 0) return '0';
  if (time < 1_000) return step < 1_000 && time % 1 === 0 ? `${time} ms` : `${time / 1_000} s`;
  if (step < 60_000 && time < 60_000)
    return `${(time / 1_000).toFixed(step < 100 ? 2 : step < 1_000 ? 1 : 0)} s`;
  const [minutes, seconds] = [Math.floor(time / 60_000), Math.round((time % 60_000) / 1_000)];
  return seconds === 0 ? `${minutes} m` : `${minutes} m ${String(seconds).padStart(2, '0')} s`;
}

/** The pixels that a tick's label takes, roughly. */
export function labelRoom(label: string): number {
  return label.length * 7 + 8;
}
