import { CuelineError } from '@cueline/core';
import { checkBaseUrl } from '@cueline/core/models';

/** The user's choice of a model. It has no key, so it can be stored. */
export type ConnectionSettings = {
  kind: 'demo' | 'openai' | 'compatible';
  openai: { model: string; api: 'responses' | 'chat'; baseUrl: string };
  compatible: { model: string; baseUrl: string };
};

/** Keys as typed. Kept in memory only: never in storage, a link or a log. */
export type ConnectionKeys = { openai: string; compatible: string };

/** Everything that a model needs. */
export type Connection = { connection: ConnectionSettings; keys: ConnectionKeys };

export const defaultConnection: ConnectionSettings = {
  kind: 'demo',
  openai: { model: 'gpt-5-mini', api: 'responses', baseUrl: '' },
  compatible: { model: '', baseUrl: '' },
};

export const OPENAI_BASE_URL = 'https://api.openai.com/v1';
/** Ollama's default address. */
export const OLLAMA_BASE_URL = 'http://localhost:11434/v1';

/** The name of a model in the interface, and where it runs. */
export type ModelLabel = { readonly name: string; readonly detail: string };

/** The demo is always called simulated. */
export const demoLabel: ModelLabel = { name: 'Demo model', detail: 'simulated' };

/** The name of a connection in the interface. */
export function connectionLabel(settings: ConnectionSettings): ModelLabel {
  switch (settings.kind) {
    case 'demo':
      return demoLabel;
    case 'openai':
      return { name: settings.openai.model || 'No model chosen', detail: 'OpenAI' };
    case 'compatible':
      return {
        name: settings.compatible.model || 'No model chosen',
        detail: hostOf(settings.compatible.baseUrl),
      };
  }
}

/**
 * The name in the interface of the model that the state of a run has. `known` is returned if it is the same name,
 * because a state has fewer details.
 */
export function modelLabelOf(
  { model, simulated }: { readonly model: string; readonly simulated: boolean },
  known: ModelLabel,
): ModelLabel {
  if (model === '') return known;
  const [provider = ''] = model.split(/[.:]/, 1);
  const label = simulated
    ? demoLabel
    : {
        name: model.slice(model.indexOf(':') + 1),
        detail: provider === 'openai' ? 'OpenAI' : provider,
      };
  return label.name === known.name ? known : label;
}

/** A sentence about the model that Run will use; undefined for the demo and for a connection that cannot be used. */
export function runsWith(settings: ConnectionSettings, keys: ConnectionKeys): string | undefined {
  if (settings.kind === 'demo' || connectionProblem(settings, keys) !== undefined) return undefined;
  const { name, detail } = connectionLabel(settings);
  const where = settings.kind === 'compatible' ? ` at ${detail}` : '';
  return `Run will use ${name}${where}${keys[settings.kind].trim() === '' ? '' : ' with your key'}.`;
}

/** A field of the model dialog that needs attention, and the sentence to show beside it. */
export type ConnectionProblem = { field: 'model' | 'baseUrl' | 'key'; message: string };

/** The reason why a run could not start; undefined if the connection can be used. */
export function connectionProblem(
  settings: ConnectionSettings,
  keys: ConnectionKeys,
): ConnectionProblem | undefined {
  if (settings.kind === 'demo') return undefined;
  const { model, baseUrl } = settings[settings.kind];
  if (settings.kind === 'compatible' && baseUrl.trim() === '') {
    return { field: 'baseUrl', message: `Type the server's address, such as ${OLLAMA_BASE_URL}.` };
  }
  if (baseUrl.trim() !== '') {
    const message = baseUrlProblem(baseUrl);
    if (message !== undefined) return { field: 'baseUrl', message };
  }
  if (model.trim() === '') {
    const example = settings.kind === 'openai' ? defaultConnection.openai.model : 'llama3.2';
    return { field: 'model', message: `Type the model's id, such as ${example}.` };
  }
  if (settings.kind === 'openai' && keys.openai.trim() === '') {
    return { field: 'key', message: 'Paste an OpenAI API key, or choose the demo model, which needs none.' };
  }
  return undefined;
}

/** Like {@link connectionProblem}, for code that must stop: throws an error whose code says which field is wrong. */
export function checkConnection(settings: ConnectionSettings, keys: ConnectionKeys): void {
  const problem = connectionProblem(settings, keys);
  if (problem === undefined) return;
  const code = { key: 'missing_key', baseUrl: 'invalid_base_url', model: 'unknown_model' } as const;
  throw new CuelineError(code[problem.field], problem.message, { details: { field: problem.field } });
}

function baseUrlProblem(text: string): string | undefined {
  let address: string;
  try {
    address = checkBaseUrl(text, 'The base URL');
  } catch (error) {
    return CuelineError.isInstance(error) ? error.message : String(error);
  }
  const { protocol, hostname, host } = new URL(address);
  // The page's own policy refuses it too: the key would be sent unencrypted.
  if (protocol === 'http:' && !isLoopback(hostname)) {
    return `The base URL may begin with http:// only for this machine (localhost). Use https:// for ${host}.`;
  }
  return undefined;
}

/** The hosts of this machine that the page's policy lets it reach. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '127.0.0.1';
}

function hostOf(address: string): string {
  try {
    return new URL(address).host;
  } catch {
    return 'OpenAI-compatible';
  }
}

/** The keys as they are sent, to be removed from errors and from everything that reaches the script. */
export function secretsOf(keys: ConnectionKeys): string[] {
  return [keys.openai, keys.compatible].map((key) => key.trim()).filter((key) => key !== '');
}
