// An entry of its own, so that only a page or a terminal that shows requests loads it.
export { estimateTokens } from './compile/estimate-tokens.ts';
export { explain } from './run/explain.ts';
