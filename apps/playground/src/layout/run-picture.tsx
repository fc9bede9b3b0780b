import { clsx } from 'clsx';
import pictures from '../examples/pictures.json';

const colors: Record<string, string> = {
  model: 'fill-text-kind',
  tool: 'fill-tool',
  agent: 'fill-thinking',
};
/** The height of a lane and of its bar, in units of the picture. */
const LANE = 9;
const BAR = 5;
const WIDTH = 200;

const bars: Readonly<Record<string, readonly (readonly (string | number)[])[]>> = pictures;

/** A run of an example in time, as bars: the model's answers above, and below them the tools and agents that ran. */
export function RunPicture({ id }: { id: string }) {
  const own = bars[id] ?? [];
  const lanes = Math.max(2, ...own.map(([, lane]) => Number(lane) + 1));
  return (
    <svg
      aria-hidden
      viewBox={`0 ${-LANE / 2} ${WIDTH} ${(lanes + 1) * LANE - (LANE - BAR)}`}
      preserveAspectRatio="none"
      className="size-full!"
    >
      {own.map(([kind, lane, start, end], index) => (
        <rect
          key={index}
          x={Number(start)}
          y={Number(lane) * LANE}
          width={Number(end) - Number(start)}
          height={BAR}
          className={clsx(colors[String(kind)], 'opacity-80')}
        />
      ))}
    </svg>
  );
}
