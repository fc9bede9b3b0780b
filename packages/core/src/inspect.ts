// Apart from the rest, so that only a page or a terminal that shows requests loads it.
export { explain } from './run/explain.ts';
