import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import type {
  CompiledRequest,
  EditReply,
  RunCommand,
  RunEvent,
  SerializedError,
  TaskItem,
  UnfinishedCall,
} from '@cueline/core';
import type { UIMessage } from 'ai';
import type { DefinitionName } from './script/definition.ts';
import type { ScriptPosition } from './script/script-error.ts';

/** The names of the model, which the run's log needs. */
export type ModelInfo = { provider: string; modelId: string };

/**
 * What a script's prompt takes as input: nothing, a value that no schema describes, a value whose schema gives no form,
 * or what fits a JSON Schema.
 */
export type InputReport =
  | { kind: 'none' }
  | { kind: 'no-schema' }
  | { kind: 'any' }
  | { kind: 'schema'; schema: Readonly<Record<string, unknown>> };

/** What a script says about its prompt once it is loaded. */
export type ScriptReport = { name: string; input: InputReport };

/** What the page sends to the runtime in the worker, each as JSON text. */
export type ToWorker =
  | {
      type: 'run';
      code: string;
      input?: unknown;
      /** Earlier turns of the conversation. */
      messages?: readonly UIMessage[] | undefined;
      /** The tasks of the previous turn. */
      tasks?: readonly TaskItem[] | undefined;
      /** Calls that the last message leaves open. */
      unfinishedCalls?: readonly UnfinishedCall[] | undefined;
      model: ModelInfo;
    }
  /** Loads the script without running it: `report`, and with `dryRun` the first request, answer it; or `failed`. */
  | { type: 'check'; code: string; dryRun?: { input?: unknown } | undefined }
  | { type: 'stop' }
  /** There is a network again. Chromium reports this to pages only, and a retry in the worker waits for it. */
  | { type: 'online' }
  /** A command of the user; `reply` answers it. */
  | { type: 'command'; id: number; command: RunCommand }
  /** The answer to `model-call` begins. */
  | { type: 'model-open'; call: number }
  | { type: 'model-parts'; call: number; parts: LanguageModelV4StreamPart[] }
  | { type: 'model-end'; call: number; error?: ModelFailure };

/**
 * Why a model call failed. `code` is the provider's own word for it, such as that of an account without credit.
 * `retry` is set if the same call may succeed later.
 */
export type ModelFailure = {
  error: SerializedError;
  code?: string;
  retry?: { statusCode?: number; after?: string };
};

/** What the runtime sends to the page, each as JSON text. */
export type ToHost =
  | { type: 'ready' }
  | { type: 'events'; events: RunEvent[] }
  /** The run could not continue, and wrote no `run-end`. */
  | { type: 'failed'; error: SerializedError; at?: ScriptPosition }
  /** Something in the script threw; the run may continue. Positions are those of the compiled code. */
  | { type: 'problem'; message: string; at?: ScriptPosition; toolCallId?: string }
  /** The script defines something, at this position of the compiled code. */
  | ({ type: 'definition'; at: ScriptPosition } & DefinitionName)
  /** The answers to `check`. */
  | { type: 'report'; report: ScriptReport }
  | { type: 'dry-run'; request: CompiledRequest; warnings: string[] }
  | { type: 'console'; level: ConsoleLevel; text: string }
  /** The reply to `command`. */
  | { type: 'reply'; id: number; reply: EditReply }
  | { type: 'model-call'; call: number; options: unknown }
  /** The worker has room for this many more messages of parts. */
  | { type: 'model-credit'; call: number; count: number }
  | { type: 'model-abort'; call: number };

export type ConsoleLevel = 'debug' | 'log' | 'info' | 'warn' | 'error';

/** Messages of parts that the page may send before the worker has asked for more. */
export const initialCredit = 4;

// Saved before any script runs, so that a script that replaces them cannot forge the runtime's messages.
const { parse, stringify } = JSON;

/** JSON text; bytes, which only files contain, as base64. */
export function encodeMessage(message: ToWorker | ToHost): string {
  return stringify(message, (_key, value: unknown) =>
    value instanceof Uint8Array ? toBase64(value) : value,
  );
}

/** Decodes a text of {@link encodeMessage}; nothing is checked. */
export function decodeMessage(text: string): unknown {
  return parse(text);
}

function toBase64(bytes: Uint8Array): string {
  let text = '';
  // In slices: a call takes a limited number of arguments.
  for (let at = 0; at < bytes.length; at += 8_192) {
    text += String.fromCharCode(...bytes.subarray(at, at + 8_192));
  }
  return btoa(text);
}
