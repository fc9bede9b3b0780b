type Part = Readonly<Record<string, unknown>>;

/** Calls that wait for an approval are kept as such where a chat's answer is looked for among them. */
export type AcceptOptions = { approvals: boolean };

/**
 * What goes on of each part: what was said and what is shown. What a provider has attached to it does not, because it
 * steers the provider, and names what is kept in the account of everybody who asks here.
 */
const fields: Readonly<Record<string, readonly string[]>> = {
  text: ['text', 'state'],
  // Without its signature no provider takes it for its own thinking; of earlier turns none asks for it.
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

/** The parts of a client's message that go on, without what the client has no say in. They have been checked. */
export function acceptParts(parts: readonly Part[], options: AcceptOptions): Part[] {
  return parts.flatMap((part) => {
    const type = String(part['type']);
    if (type === 'steering-message') {
      const inner = (part['parts'] as Part[]).filter(
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
 * A call and its result. What a provider ran itself (`providerExecuted`) becomes a call like any other: of its own, a
 * provider would look up its result by an id.
 */
function acceptCall(part: Part, { approvals }: AcceptOptions): Part {
  const call = pick(part, ['type', ...callFields]);
  const approval = isRecord(part['approval']) ? part['approval'] : undefined;
  if (approval !== undefined && approvals) {
    const kept = pick(approval, ['id', 'approved', 'reason', 'requestReason', 'isAutomatic']);
    return { ...call, approval: kept };
  }
  const { state } = call;
  if (state === 'approval-requested' || state === 'approval-responded' || state === 'output-denied') {
    // an approved call without a result would be run, whatever its arguments say
    return { ...call, state: 'output-error', errorText: notRun(approval) };
  }
  return call;
}

function notRun(approval: Part | undefined): string {
  if (approval?.['approved'] !== false) return 'The run ended before this had a result.';
  const { reason } = approval;
  const why = typeof reason === 'string' ? `: ${reason}` : '';
  return `This was not run, because the user did not approve it${why}.`;
}

function pick(part: Part, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    names.flatMap((name) => (Object.hasOwn(part, name) ? [[name, part[name]] as const] : [])),
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
