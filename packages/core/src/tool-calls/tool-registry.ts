import { asSchema, tool, type ToolSet } from 'ai';
import type { ToolCallState } from '../log/state.ts';
import { redactKeys } from '../messages/redact-keys.ts';
import { toDataOutput, toModelOutput, withNote } from '../messages/tool-output.ts';
import type { ToolDefinition } from '../prompt/definitions.ts';
import { capOutput } from '../tools/cap-output.ts';
import { ownModelOutput } from '../tools/model-output.ts';
import { hintsOf, readyRules, throwReported } from '../tools/ready-tool.ts';
import { toSchema, type ToolSchema } from '../tools/schema.ts';
import { isStreaming } from '../tools/tool-callbacks.ts';
import type { ToolContext, ToolRules } from '../tools/tool-types.ts';
import { refusedText } from './approve.ts';
import { callClientTool, unanswered } from './call-client-tool.ts';
import { makeSubCalls } from './make-sub-calls.ts';
import type { CallContext, PipelineTool } from './pipeline-tool.ts';
import { hasNoFunction, noFunctionError } from './tool-approval.ts';
import { createToolCallPipeline, type ToolCallPipelineOptions } from './tool-call-pipeline.ts';

/** The tools of one agent loop, as AI SDK tools. */
export type ToolRegistry = {
  /** One object for the whole run, because the AI SDK keeps a reference to it and filters it at every step. */
  readonly tools: ToolSet;
  /**
   * Replaces `tools` by the current definitions. Called between two steps, so that no call loses its tool.
   * `taskId` is the task of the next step, if any: the same call for another task is not a repetition.
   */
  update(definitions: ReadonlyMap<string, ToolDefinition>, taskId?: string, forgets?: boolean): void;
  /** Returns the tool of this name if a call of it may be made twice: if it only reads, or is idempotent. */
  retryableTool(toolName: string): ToolSet[string] | undefined;
  /** Returns the tool of this name if an agent answers it. */
  agentTool(toolName: string): ToolSet[string] | undefined;
  /** Returns how a call is handled that an earlier process of the run has left open. */
  openCallTool(toolName: string): OpenCallTool;
  /** Counts calls that an earlier process of the run has made, for the loop guard. */
  remember(calls: readonly ToolCallState[], isInvalid: (call: ToolCallState) => boolean): Promise<void>;
  /** Counts a call that cannot run, because the tool does not exist or its arguments do not fit. */
  invalid(toolName: string, input: unknown): void;
};

/** The tool of an open call. `continues`: a call that has started continues where it runs, in a page or an agent. */
export type OpenCallTool = { tool: ToolSet[string] | undefined; continues: boolean };

/** Creates AI SDK tools from definitions. The pipeline surrounds each call, and results are complete and capped. */
export function createToolRegistry(options: ToolCallPipelineOptions): ToolRegistry {
  return new Registry(options);
}

/** The tools of one run or agent, as the AI SDK calls them. */
class Registry implements ToolRegistry {
  readonly #options: ToolCallPipelineOptions;
  readonly #agentContext;
  readonly #pipeline;
  readonly tools: ToolSet = {};
  #current: ReadonlyMap<string, ToolDefinition> = new Map();
  readonly #made = new WeakMap<ToolDefinition, ToolSet[string]>();

  constructor(options: ToolCallPipelineOptions) {
    this.#options = options;
    this.#agentContext = options.agentContext;
    this.#pipeline = createToolCallPipeline(options);
  }

  invalid(toolName: string, input: unknown): void {
    this.#pipeline.invalid(toolName, input);
  }

  retryableTool(toolName: string): ToolSet[string] | undefined {
    const { effect, idempotent } = this.#rulesOf(toolName);
    return effect === 'read' || idempotent === true ? this.tools[toolName] : undefined;
  }

  agentTool(toolName: string): ToolSet[string] | undefined {
    return this.#current.get(toolName)?.kind === 'agent' ? this.tools[toolName] : undefined;
  }

  openCallTool(toolName: string): OpenCallTool {
    const kind = this.#current.get(toolName)?.kind;
    // a page that has claimed a call still runs it, and an agent continues where it was
    const continues = kind === 'client' || kind === 'agent';
    return { tool: this.tools[toolName], continues };
  }

  async remember(
    calls: readonly ToolCallState[],
    isInvalid: (call: ToolCallState) => boolean,
  ): Promise<void> {
    for (const call of calls) {
      const { toolName, input, state, output, errorText } = call;
      // as in the process that asked, a refusal is an answer
      const refusal = errorText?.startsWith(refusedText(toolName)) === true ? { output: errorText } : {};
      const rules = this.#rulesOf(toolName);
      await this.#pipeline.remember({
        toolName,
        input,
        effect: rules.effect,
        rules,
        isInvalid: isInvalid(call),
        ...(state === 'output-available' ? { output } : refusal),
      });
    }
  }

  update(definitions: ReadonlyMap<string, ToolDefinition>, taskId?: string, forgets?: boolean): void {
    this.#current = definitions;
    this.#pipeline.beginStep(taskId, forgets);
    for (const name of Object.keys(this.tools)) if (!definitions.has(name)) delete this.tools[name];
    for (const [name, definition] of definitions) {
      const known = this.#made.get(definition) ?? this.#toTool(name, definition);
      this.#made.set(definition, known);
      this.tools[name] = known;
    }
  }

  #toTool(name: string, definition: ToolDefinition): ToolSet[string] {
    if (definition.kind === 'ready') return this.#toReadyTool(name, definition.tool);
    const { description, inputSchema, rules } = definition;
    const isClient = definition.kind === 'client';
    const pipelineTool: PipelineTool = {
      name,
      rules,
      inputSchema,
      finish: (output) => capOutput(output, name, isClient ? 'data' : 'parts'),
      ...this.#howToRun(name, definition),
    };
    return tool({
      description,
      inputSchema,
      ...(rules.providerOptions === undefined ? {} : { providerOptions: rules.providerOptions }),
      execute: (args: unknown, context: CallContext) => this.#pipeline.call(pipelineTool, args, context),
      toModelOutput: ({ toolCallId, output }) =>
        // a value from a page is data, also if it looks like a list of parts
        withNote(isClient ? toDataOutput(output) : toModelOutput(output), this.#pipeline.noteOf(toolCallId)),
    }) as ToolSet[string];
  }

  #howToRun(
    name: string,
    definition: Exclude<ToolDefinition, { kind: 'ready' }>,
  ): Pick<
    PipelineTool,
    'run' | 'streams' | 'needsPermit' | 'startsLater' | 'limitedByDefault' | 'timeoutMessage'
  > {
    const { rules } = definition;
    switch (definition.kind) {
      case 'agent':
        return {
          streams: false,
          needsPermit: false,
          run: (args, context) =>
            this.#agentContext.runContext.answer(this.#agentContext, {
              name,
              agent: definition.agent,
              args,
              context,
            }),
        };
      case 'client':
        return {
          streams: false,
          needsPermit: false,
          startsLater: true,
          timeoutMessage: unanswered(name, rules.timeoutMs),
          run: (args, context, _checkCall, begin) =>
            callClientTool(
              this.#agentContext,
              { name, rules, outputSchema: definition.outputSchema, args, context },
              begin,
            ),
        };
      case 'composite':
        return {
          streams: false,
          needsPermit: true,
          run: (args, context, checkCall) =>
            definition.run(
              args,
              context,
              makeSubCalls(this.#agentContext, {
                name,
                rules,
                context,
                checkCall,
                toolMs: this.#options.toolMs,
              }),
            ),
        };
      default:
        return {
          streams: definition.streams,
          needsPermit: true,
          limitedByDefault: true,
          run: (args, context) => definition.run(args, context),
        };
    }
  }

  /** Wraps an AI SDK tool. Its own conversions stay, and its calls go through the pipeline. */
  #toReadyTool(name: string, ready: ToolSet[string]): ToolSet[string] {
    const { execute, toModelOutput: own, needsApproval } = ready;
    if (execute === undefined) {
      if (hasNoFunction(ready) && needsApproval !== undefined && needsApproval !== false) {
        throw noFunctionError(name, 'needsApproval');
      }
      return ready;
    }
    // an untyped tool may have no schema, which means no arguments to the AI SDK
    const ownSchema = ready.inputSchema as ToolSchema | undefined;
    const inputSchema = ownSchema === undefined ? asSchema(ownSchema) : toSchema(name, ownSchema);
    const run = (args: unknown, context: ToolContext): unknown => execute(args as never, context as never);
    const pipelineTool: PipelineTool = {
      name,
      rules: readyRules(ready),
      inputSchema,
      needsPermit: true,
      limitedByDefault: true,
      finish(output: unknown) {
        throwReported(output);
        // a tool with its own conversion for the model needs the complete result
        return own === undefined ? capOutput(output, name) : output;
      },
      streams: isStreaming(execute),
      run,
    };
    return {
      ...ready,
      inputSchema,
      // the AI SDK would end the run or abort an agent; the run asks itself and continues
      needsApproval: false,
      execute: (args: unknown, context: CallContext) => this.#pipeline.call(pipelineTool, args, context),
      toModelOutput: async (result: Parameters<NonNullable<typeof own>>[0]) =>
        withNote(
          redactKeys(await ownModelOutput(name, ready, result), this.#agentContext.runContext.secrets),
          this.#pipeline.noteOf(result.toolCallId),
        ),
    };
  }

  #rulesOf(toolName: string): ToolRules {
    const definition = this.#current.get(toolName);
    if (definition === undefined) return {};
    return definition.kind === 'ready' ? hintsOf(definition.tool) : definition.rules;
  }
}
