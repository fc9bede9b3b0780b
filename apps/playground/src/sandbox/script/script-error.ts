/** A position in a script, as editors count: lines and columns from 1. */
export type ScriptPosition = { line: number; column?: number };

/** A script that cannot run. The message is for its author. */
export class ScriptError extends Error {
  override readonly name = 'ScriptError';
  readonly line: number | undefined;
  readonly column: number | undefined;

  constructor(message: string, position?: ScriptPosition) {
    super(message);
    this.line = position?.line;
    this.column = position?.column;
  }
}
