import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import type { Tried } from './served-app.ts';

/** A connection on which what is sent is exactly what was written. */
export type Wire = {
  write(bytes: string): void;
  /** What has come so far. */
  readonly text: string;
  /** Once this much of an answer has come, or the connection was closed: all that came. */
  until(pattern: RegExp): Promise<string>;
  /** Says goodbye, as who closes a page does. */
  close(): void;
  /** Breaks off, as a network does. */
  reset(): void;
};

/** Opens a connection to a runtime, which is closed once the test is finished. */
export async function openWire({ port }: Pick<Tried, 'port'>): Promise<Wire> {
  let text = '';
  let closed = false;
  const socket = await new Promise<Socket>((resolve, reject) => {
    const opened = connect(port, '127.0.0.1', () => resolve(opened));
    opened.once('error', reject);
  });
  onTestFinished(() => void socket.destroy());
  socket.on('data', (part) => (text += String(part)));
  socket.on('error', () => {});
  socket.on('close', () => (closed = true));
  return {
    write: (bytes) => void socket.write(bytes, 'latin1'),
    get text() {
      return text;
    },
    until: (pattern) =>
      new Promise((resolve) => {
        const check = (): void => {
          if (!closed && !pattern.test(text)) return;
          socket.off('data', check);
          socket.off('close', check);
          resolve(text);
        };
        socket.on('data', check);
        socket.on('close', check);
        check();
      }),
    close: () => void socket.destroy(),
    reset: () => void socket.resetAndDestroy(),
  };
}

/** A raw POST request; `framing` says how long it is. */
export function post(path: string, framing: string, body: string, subject = 'ada'): string {
  return (
    `POST ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${subject}\r\n` +
    `content-type: application/json\r\n${framing}\r\n${body}`
  );
}
