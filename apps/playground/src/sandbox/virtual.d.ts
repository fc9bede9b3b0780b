declare module 'virtual:sandbox-runtime' {
  /** Text of the script that the frame runs: `src/sandbox/frame`. */
  export const relay: string;
  /** Text of the script that the worker runs: `src/sandbox/worker`, with core, the AI SDK and zod in it. */
  export const runtime: string;
  /** `sha256-…` of the frame's inline script. */
  export const bootstrapHash: string;
}
