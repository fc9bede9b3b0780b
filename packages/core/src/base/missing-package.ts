/**
 * The package that an import could not find, where the error says so; undefined for any other failure, such as code
 * that could not be fetched. Each runtime and bundler has a sentence of its own, which names the import in quotes.
 */
export function missingPackage(error: unknown): string | undefined {
  const message = error instanceof Error ? error.message : '';
  // Node, Bun and webpack: find; Vite, Safari: resolve; Chrome, Firefox: specifier; workerd: such; Deno: dependency
  if (!/\b(?:find|resolve|specifier|such|dependency)\b/.test(message)) return undefined;
  // a package, or a file in it: neither a path, nor a URL, nor a module of Node's
  return /['"“]((?:@[\w~-][\w.~-]*\/)?[\w~-][\w.~-]*)(?:\/[^'"”]*)?['"”]/.exec(message)?.[1];
}
