import type { ScriptPosition } from './script-error.ts';

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

type Segment = { generated: number; line: number; column: number };

/**
 * Reads the `mappings` of a source map with one source (ECMA-426: base64 VLQ, relative to the previous
 * field). Returns a function from positions in the generated code to positions in the source.
 */
export function readMappings(mappings: string): (position: ScriptPosition) => ScriptPosition {
  let line = 0;
  let column = 0;
  const lines = mappings.split(';').map((text): Segment[] => {
    let generated = 0;
    return text
      .split(',')
      .filter(Boolean)
      .flatMap((segment) => {
        const [first = 0, , lineDelta, columnDelta] = decode(segment);
        generated += first;
        if (lineDelta === undefined || columnDelta === undefined) return [];
        line += lineDelta;
        column += columnDelta;
        return [{ generated, line, column }];
      });
  });
  return (position) => {
    const segments = lines[position.line - 1] ?? [];
    if (position.column === undefined) {
      return { line: (segments[0]?.line ?? position.line - 1) + 1 };
    }
    const at = position.column - 1;
    const segment = segments.findLast(({ generated: start }) => start <= at) ?? segments[0];
    return segment === undefined ? position : { line: segment.line + 1, column: segment.column + 1 };
  };
}

function decode(segment: string): number[] {
  const fields: number[] = [];
  let value = 0;
  let shift = 0;
  for (const letter of segment) {
    const digit = digits.indexOf(letter);
    value |= (digit & 31) << shift;
    if (digit & 32) {
      shift += 5;
    } else {
      fields.push(value & 1 ? -(value >> 1) : value >> 1);
      value = 0;
      shift = 0;
    }
  }
  return fields;
}
