import type { RunEvent, RunRequest } from '@cueline/core';
import type { LanguageModel } from 'ai';
import type { SandboxLimits } from '../limits.ts';
import type { ConsoleLevel } from '../protocol.ts';
import type { DefinitionLine } from '../script/definition.ts';
import type { IssuedMetadata } from './issued-metadata.ts';
import type { WorkerFrame } from './worker-frame.ts';

/** An error of a script, with its position if that is known. */
export type ScriptProblem = {
  message: string;
  line?: number;
  column?: number;
  phase: 'compile' | 'run';
  /** The tool call in which it was thrown; the run continues, and the model reads the error. */
  toolCallId?: string;
};

export type SandboxRunOptions = {
  script: string;
  request: Pick<RunRequest, 'input' | 'messages' | 'tasks' | 'unfinishedCalls'>;
  signal: AbortSignal;
  limits: SandboxLimits;
  issued: IssuedMetadata;
  getModel: () => LanguageModel | Promise<LanguageModel>;
  secrets: () => readonly string[];
  takeFrame: () => WorkerFrame;
  onEvent: (event: RunEvent) => void;
  onProblem: (problem: ScriptProblem) => void;
  onConsole: (level: ConsoleLevel, text: string) => void;
  /** Called with each line that makes a definition, up to the limit. */
  onDefinition: (definition: DefinitionLine) => void;
};
