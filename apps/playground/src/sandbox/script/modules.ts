/** What a script may import, in the order of the error messages. */
export const scriptModules = [
  '@cueline/core',
  '@cueline/core/agents',
  '@cueline/core/inspect',
  '@cueline/core/library',
  '@cueline/core/plugins',
  '@cueline/core/testing',
  'zod',
] as const;

export type ScriptModule = (typeof scriptModules)[number];

export function isScriptModule(name: string): name is ScriptModule {
  return (scriptModules as readonly string[]).includes(name);
}

/** The error for an import that the sandbox does not have. */
export function refusedImport(name: string): string {
  const address = /^(https?:|data:|blob:|\/|\.)/.test(name);
  return (
    `Cannot import "${name}". A script here can import ${scriptModules.join(', ')}. ` +
    (address ? 'It is one file without a network: ' : 'Other packages are not installed: ') +
    'put what you need into the script itself.'
  );
}

/** The error for a script without a default export. */
export const noDefaultExport: string =
  'The script has no default export, so there is nothing to run. End it with a prompt function: ' +
  "export default definePrompt('hello', async (prompt) => { prompt.$`Say hello.`; });";
