import { transform } from 'sucrase';
import { locateSyntaxError, type ParseError } from './locate-syntax-error.ts';
import { isScriptModule, noDefaultExport, refusedImport } from './modules.ts';
import { createReadBudget, type ReadBudget } from './parser-input.ts';
import { ScriptError, type ScriptPosition } from './script-error.ts';
import { readMappings } from './source-map.ts';
import { formatTokens, readTokens, transforms, type Token } from './tokens.ts';

/** A script that the sandbox's worker can run. */
export type CompiledScript = {
  /** Text of a module whose default export is `async (require, exports) => void`. */
  code: string;
  /** Converts a position in `code` to the position in the script. */
  locate(position: ScriptPosition): ScriptPosition;
  /** The position of the export: used for errors without a position of their own. */
  defaultExport: ScriptPosition;
};

// On the first line, so that line n of the script is line n of the code.
const head = 'export default async (require, exports) => {';
const foot = '\n}';

/** The last compiled script: a check compiles it while the user edits, and its run uses the result. */
let last: { source: string; compiled: CompiledScript } | undefined;

/**
 * Compiles a TypeScript prompt script for the sandbox. Types are stripped, not checked. Throws {@link
 * ScriptError} if the script cannot be parsed, takes too long to parse, imports something that the sandbox does not
 * have, or has no default export.
 */
export function compileScript(source: string): CompiledScript {
  if (last?.source !== source) last = { source, compiled: compile(source) };
  return last.compiled;
}

function compile(source: string): CompiledScript {
  try {
    // also refuses a script that takes too long to parse, which the transformation would parse without a bound
    const defaultExport = checkModules(source);
    const { code, sourceMap } = transform(source, {
      transforms,
      disableESTransforms: true,
      production: true,
      filePath: 'script.ts',
      sourceMapOptions: { compiledFilename: 'script.js' },
    });
    const locate = readMappings(sourceMap?.mappings ?? '');
    const lineCount = source.split('\n').length;
    return {
      code: head + code + foot,
      defaultExport,
      locate: ({ line, column }) =>
        locate({
          line: Math.min(line, lineCount),
          ...(column === undefined
            ? {}
            : { column: line === 1 ? Math.max(1, column - head.length) : column }),
        }),
    };
  } catch (error) {
    if (!isParseError(error)) throw error;
    const budget = createReadBudget(source);
    const { error: located, position } = locateSyntaxError(source, error, (text) => tryToParse(text, budget));
    throw new ScriptError(`${located.message.replace(/ \(\d+:\d+\)$/, '')}.`, position);
  }
}

function isParseError(error: unknown): error is ParseError {
  return error instanceof SyntaxError && 'pos' in error;
}

function tryToParse(source: string, budget: ReadBudget): ParseError | undefined {
  try {
    formatTokens(source, budget);
    return undefined;
  } catch (error) {
    return isParseError(error) ? error : undefined;
  }
}

/**
 * Refuses imports that the sandbox does not have, and a script without a default export. Returns the export's
 * position.
 */
function checkModules(source: string): ScriptPosition {
  const tokens = readTokens(source);
  let defaultExport: ScriptPosition | undefined;
  tokens.forEach((token, index) => {
    const next = tokens[index + 1];
    const exported = next?.label === 'default' || (next?.label === '{' && namesDefault(tokens, index + 2));
    if (token.label === 'export' && exported) defaultExport = { line: token.line, column: token.column };
    const from =
      token.label === 'string' && isModuleName(tokens, index) ? token.text.slice(1, -1) : undefined;
    if (from !== undefined && !isScriptModule(from)) throw new ScriptError(refusedImport(from), token);
    if (token.label === 'name' && token.text === 'namespace' && isNamespace(tokens, index)) {
      throw new ScriptError(
        'TypeScript namespaces do not run here. Use an object, or plain functions, instead.',
        token,
      );
    }
  });
  if (defaultExport === undefined) {
    throw new ScriptError(noDefaultExport, { line: source.trimEnd().split('\n').length });
  }
  return defaultExport;
}

/** `export { … as default …`, from behind the brace on. */
function namesDefault(tokens: readonly Token[], start: number): boolean {
  for (let at = start; at < tokens.length && tokens[at]!.label !== '}'; at += 1) {
    if (tokens[at]!.text === 'default' && tokens[at - 1]?.text === 'as') return true;
  }
  return false;
}

/** True for the string of `… from 'name'`, `import 'name'` and `import('name')`. */
function isModuleName(tokens: readonly Token[], index: number): boolean {
  const before = tokens[index - 1];
  if (before?.label === 'import') return true;
  if (before?.label === '(') return tokens[index - 2]?.label === 'import';
  if (before?.label !== 'name' || before.text !== 'from') return false;
  // `Array.from 'x'` does not parse, so `from` before a string ends an import or an export.
  return true;
}

function isNamespace(tokens: readonly Token[], index: number): boolean {
  const [before, name, brace] = [tokens[index - 1], tokens[index + 1], tokens[index + 2]];
  return before?.text !== '.' && before?.text !== 'declare' && name?.label === 'name' && brace?.label === '{';
}
