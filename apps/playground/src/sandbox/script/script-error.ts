/** A place in a script, as an editor counts: lines and columns from 1. */
export type ScriptPosition = { line: number; column?: number };

/** A script that cannot be run as it stands. The message is for the person who writes it. */
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
