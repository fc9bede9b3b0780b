import { LOG_VERSION, type RunEvent, type RunEventBody, type RunRequest } from '@cueline/core';

type RunLogWriterOptions = {
  request: Pick<RunRequest, 'input' | 'messages'>;
  /** `provider:model`; empty while it is not known. */
  model: () => string;
  onEvent: (event: RunEvent) => void;
  /** Called after `run-end`. */
  onEnd: () => void;
};

/**
 * Numbers the events of a run, so that its log is complete whatever the worker sends: it begins with `run-start` and
 * ends with one `run-end`.
 */
export class RunLogWriter {
  readonly #options: RunLogWriterOptions;
  /** When the run started, or when its script was started if no run came of it. */
  #startedAt = performance.now();
  #seq = 0;
  #lastTime = 0;
  #ended = false;

  constructor(options: RunLogWriterOptions) {
    this.#options = options;
  }

  /** True after `run-end`: later events are not written. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Writes an event at this time, or at the time of the event before if that is later. */
  write(body: RunEventBody, time: number): void {
    if (this.#ended) return;
    const { request, model, onEvent, onEnd } = this.#options;
    if (this.#seq === 0 && body.type !== 'run-start') this.write(ownStart(model(), request), 0);
    // a worker has one run, which does not continue after its end
    if (body.type === 'run-resume' || (this.#seq > 0 && body.type === 'run-start')) return;
    if (this.#seq === 0) this.#startedAt = performance.now();
    this.#lastTime = Math.max(this.#lastTime, time);
    this.#ended = body.type === 'run-end';
    onEvent({ ...body, seq: this.#seq++, t: this.#lastTime });
    if (this.#ended) onEnd();
  }

  /** Ends the log now. */
  end(body: Omit<Extract<RunEventBody, { type: 'run-end' }>, 'type'>): void {
    this.write({ type: 'run-end', ...body }, performance.now() - this.#startedAt);
  }
}

/** The start of a run whose worker never reported it. */
function ownStart(model: string, request: RunLogWriterOptions['request']): RunEventBody {
  const id = crypto.getRandomValues(new Uint32Array(2)).join('');
  return {
    type: 'run-start',
    v: LOG_VERSION,
    runId: `run-${id}`,
    ...modelFields(model),
    ...(request.input === undefined ? {} : { input: request.input }),
    messages: [...(request.messages ?? [])],
    messageId: `msg-${id}`,
  };
}

/** The model, as a `run-start` names it. */
export function modelFields(model: string): { model: string; simulated?: boolean } {
  return { model, ...(model.startsWith('simulated:') ? { simulated: true } : {}) };
}
