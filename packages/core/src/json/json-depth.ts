/** The maximum nesting depth of the arguments and results of tool calls, because readers recurse at each level. */
export const MAX_JSON_DEPTH = 1_000;

/** True if this JSON is nested deeper than that. */
export function isTooDeep(json: string): boolean {
  if (json.length <= MAX_JSON_DEPTH) return false;
  let depth = 0;
  for (let at = 0; at < json.length; at += 1) {
    const character = json[at];
    if (character === '"') at = endOfText(json, at);
    else if (character === '[' || character === '{') depth += 1;
    else if (character === ']' || character === '}') depth -= 1;
    if (depth > MAX_JSON_DEPTH) return true;
  }
  return false;
}

/** Returns the index after the string that begins here. */
function endOfText(json: string, start: number): number {
  for (let at = start + 1; at < json.length; at += 1) {
    if (json[at] === '\\') at += 1;
    else if (json[at] === '"') return at;
  }
  return json.length;
}
