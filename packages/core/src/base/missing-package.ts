import { thrownText } from './error-source.ts';

/**
 * Returns the package that an import could not find, if the error says so; undefined for any other failure, such as a
 * failed download. Each runtime and bundler has its own sentence, which quotes the import.
 */
export function missingPackage(error: unknown): string | undefined {
  const message = thrownText(error);
  // Node, Bun and webpack: find; Vite, Safari: resolve; Chrome, Firefox: specifier; workerd: such; Deno: dependency
  if (!/\b(?:find|resolve|specifier|such|dependency)\b/.test(message)) return undefined;
  // a package or a file in it: not a path, a URL or a module of Node
  return /['"“]((?:@[\w~-][\w.~-]*\/)?[\w~-][\w.~-]*)(?:\/[^'"”]*)?['"”]/.exec(message)?.[1];
}
