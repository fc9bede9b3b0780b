import { CuelineError } from '../base/errors.ts';
import type { PromptTypes, TextPrompt } from '../log/state.ts';
import { checkName } from './check-name.ts';
import type { PromptDefinition } from './define-prompt.ts';

/** A prompt that runs on a server, as a page knows it: its name, and its input, output and tools as types. */
export type RemotePrompt<Input = void, Types extends PromptTypes = PromptTypes> = PromptDefinition<
  Input,
  Types
> & { readonly remote: true };

/** The remote prompt of a definition. */
type RemoteOf<Definition> =
  Definition extends PromptDefinition<infer Input, infer Types> ? RemotePrompt<Input, Types> : never;

/**
 * Returns a prompt that a server runs, without its function, tools and system prompt, which stay on the server.
 * Its types are those of the definition; import that with `import type`. Start it with an executor that reaches
 * the server: `viaRoute(…)`.
 *
 * @throws CuelineError `invalid_definition` without a name
 * @example
 * import type { planDay } from './prompts.ts';
 * const plan = usePrompt(remotePrompt<typeof planDay>('plan-day'), { executor: viaRoute('/api/plan-day') });
 */
export function remotePrompt<Definition extends PromptDefinition<never> = PromptDefinition<void, TextPrompt>>(
  name: string,
): RemoteOf<Definition> {
  checkName('A remote prompt', name, "remotePrompt<typeof planDay>('plan-day')");
  const remote: RemotePrompt<never> = {
    kind: 'prompt',
    name,
    remote: true,
    run() {
      throw new CuelineError(
        'invalid_options',
        `Prompt "${name}" runs on a server only: start it with viaRoute(…).`,
      );
    },
  };
  // the types come from the definition of this name
  return remote as RemoteOf<Definition>;
}
