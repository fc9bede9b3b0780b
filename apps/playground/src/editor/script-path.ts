/** A script's path for TypeScript, which finds the packages' types from there. Each script has its own model. */
export function scriptPath(id: string): string {
  return `file:///scripts/${encodeURIComponent(id)}/prompt.ts`;
}
