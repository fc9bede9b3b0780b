import { CuelineError, type CuelineErrorCode } from './errors.ts';

/**
 * Loads a module of Cueline that a page loads only when it needs it. `name` is its name for the user. Throws
 * `missing_package` if a package that the module needs is not installed, otherwise `code`.
 */
export const loadModule = <Part>(
  name: string,
  part: Promise<Part>,
  code: CuelineErrorCode = 'network',
): Promise<Part> =>
  part.catch(async (cause: unknown) => {
    const failed = `Cueline's code for ${name} could not be loaded`;
    const explained = await import('./load-error.ts').catch(() => undefined);
    throw (
      explained?.toLoadError(failed, cause, code) ??
      new CuelineError(code, `${failed}. Check the connection and reload the page.`, { cause })
    );
  });
