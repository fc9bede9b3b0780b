import type { CuelineErrorCode, SerializedError } from '@cueline/core';

/** What clients read about failures that only the operator can repair, in place of advice about keys and addresses. */
const operatorFailures: Partial<Record<CuelineErrorCode, string>> = {
  auth: "The provider does not accept this server's key. Ask the operator of this server to correct it.",
  network: 'This server could not reach the provider. Try again in a while.',
  redirect_blocked:
    'The provider answered with a redirect, which is refused. Ask the operator of this server to check its address.',
};
/** The same for what is missing on the server. */
const missingHere: Partial<Record<CuelineErrorCode, string>> = {
  missing_key: 'This server has no key for this model. Ask its operator to set one.',
  missing_package: 'This server cannot call this model yet. Ask its operator to install what it needs.',
  missing_setting: 'This server cannot call this model yet. Ask its operator to complete its settings.',
};
const webPage =
  'The provider answered with a web page. Ask the operator of this server to check its address.';

/**
 * Returns the error of a provider without the address that the server calls, which may be inside its own network, and
 * without the variable or the package that the server lacks. Returns the same error if it names none of these.
 */
export function redactProvider(error: SerializedError): SerializedError {
  const missing = missingHere[error.code];
  if (missing !== undefined) return { code: error.code, message: missing };
  const { host, origin, ...rest } = error.details ?? {};
  const hosts = [host, origin].flatMap(hostsOf);
  if (hosts.length === 0) return error;
  const { details: _details, ...bare } = error;
  const details = Object.keys(rest).length === 0 ? {} : { details: rest };
  return { ...bare, message: publicMessage(error, hosts), ...details };
}

function publicMessage({ code, message, details }: SerializedError, hosts: readonly string[]): string {
  if (details?.['contentType'] === 'text/html') return webPage;
  // a proxy has its own messages, without addresses
  if (details?.['proxyCode'] === undefined && operatorFailures[code] !== undefined)
    return operatorFailures[code];
  const names = hosts.map((host) => host.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)).join('|');
  const address = String.raw`(?:https?:\/\/)?(?<![\w.-])(?:${names})(?::\d+)?(?![\w-]|\.\w)(?:\/[\w.~%/-]*[\w~%/-])?`;
  return message.replaceAll(new RegExp(address, 'gi'), (_, index: number) =>
    index === 0 ? 'The provider' : 'the provider',
  );
}

/** Returns the names of a host or an origin: with its port, and without it if that cannot be any word. */
function hostsOf(address: unknown): string[] {
  if (typeof address !== 'string') return [];
  const url = address.includes('://') ? address : `http://${address}`;
  if (!URL.canParse(url)) return [];
  const { host, hostname } = new URL(url);
  return hostname.includes('.') ? [host, hostname] : [host];
}
