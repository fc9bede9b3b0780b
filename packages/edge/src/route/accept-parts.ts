import { isRecord } from '../base/is-record.ts';

type UntrustedPart = Readonly<Record<string, unknown>>;

/** Whether calls that wait for an approval are kept, because a chat's response is searched for among them. */
export type AcceptOptions = { approvals: boolean };

/**
 * The fields of each part that are forwarded: content and labels. What a provider has attached is dropped, because it
 * controls the provider and names data in the account that all users share.
 */
const fields: Readonly<Record<string, readonly string[]>> = {
  text: ['text', 'state'],
  // without its signature no provider accepts it as its own reasoning; for earlier turns none requires it
  reasoning: ['id', 'text', 'state'],
  file: ['mediaType', 'filename', 'url'],
  'reasoning-file': ['mediaType', 'url'],
  'source-url': ['sourceId', 'url', 'title'],
  'source-document': ['sourceId', 'mediaType', 'title', 'filename'],
  'step-start': [],
  'data-tasks': ['id', 'data'],
  'data-retry': ['data'],
};

const callFields = [
  'toolCallId',
  'toolName',
  'title',
  'toolMetadata',
  'state',
  'input',
  'rawInput',
  'output',
  'errorText',
  'preliminary',
] as const;

/**
 * Returns the parts of a client's message, without the fields that a client must not set. The parts have been
 * checked.
 */
export function acceptParts(parts: readonly UntrustedPart[], options: AcceptOptions): UntrustedPart[] {
  return parts.flatMap((part) => {
    const type = String(part['type']);
    if (type === 'steering-message') {
      const inner = (part['parts'] as UntrustedPart[]).filter(
        (one) => one['type'] === 'text' || one['type'] === 'file',
      );
      return [{ ...pick(part, ['type', 'id']), parts: acceptParts(inner, options) }];
    }
    if (isCall(type)) return [acceptCall(part, options)];
    return Object.hasOwn(fields, type) ? [pick(part, ['type', ...fields[type]!])] : [];
  });
}

/** True for the part of a tool call. */
export function isCall(type: string): boolean {
  return type.startsWith('tool-') || type === 'dynamic-tool';
}

/**
 * Returns a call and its result. A call that a provider ran itself (`providerExecuted`) becomes an ordinary call,
 * because the provider would look up its own result by an id.
 */
function acceptCall(part: UntrustedPart, { approvals }: AcceptOptions): UntrustedPart {
  const call = pick(part, ['type', ...callFields]);
  const approval = isRecord(part['approval']) ? part['approval'] : undefined;
  if (approval !== undefined && approvals) {
    const kept = pick(approval, ['id', 'approved', 'reason', 'requestReason', 'isAutomatic']);
    return { ...call, approval: kept };
  }
  const { state } = call;
  if (state === 'approval-requested' || state === 'approval-responded' || state === 'output-denied') {
    // the AI SDK would run an approved call without a result, whatever its arguments are
    return { ...call, state: 'output-error', errorText: notRun(approval) };
  }
  return call;
}

function notRun(approval: UntrustedPart | undefined): string {
  if (approval?.['approved'] !== false) return 'The run ended before this call had a result.';
  const { reason } = approval;
  const why = typeof reason === 'string' ? `: ${reason}` : '';
  return `This call was not run, because the user did not approve it${why}.`;
}

function pick(part: UntrustedPart, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    names.flatMap((name) => (Object.hasOwn(part, name) ? [[name, part[name]] as const] : [])),
  );
}
