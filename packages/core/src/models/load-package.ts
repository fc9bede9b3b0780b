import { thrownText } from '../base/error-source.ts';
import { CuelineError } from '../base/errors.ts';
import { installCommand } from '../base/install-command.ts';
import { missingPackage } from '../base/missing-package.ts';
import { type CreateProvider, openAICompatible, type ProviderPackages, providers } from './providers.ts';

/** Loads a provider's package. Throws `missing_package` with the command that installs it. */
export async function loadPackage(
  provider: keyof ProviderPackages,
  overrides: Partial<ProviderPackages> = {},
): Promise<CreateProvider> {
  const { package: name, load } = provider === 'openai-compatible' ? openAICompatible : providers[provider];
  try {
    return await (overrides[provider] ?? load)();
  } catch (error) {
    const reason = thrownText(error);
    // a page that was open while its app was deployed asks for chunks that are gone
    if (/dynamically imported module|module script failed|load(?:ing)? chunk/i.test(reason)) {
      throw new CuelineError('network', `The code of ${name} could not be loaded. Reload the page.`, {
        cause: error,
      });
    }
    const missing = missingPackage(error);
    throw new CuelineError(
      'missing_package',
      `Models of "${provider}" need the package ${missing ?? name}, which ` +
        (missing === undefined ? `could not be loaded (${reason})` : 'is not installed') +
        `. Install it: ${installCommand(missing ?? name)}`,
      { cause: error, details: { package: missing ?? name } },
    );
  }
}
