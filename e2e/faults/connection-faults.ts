import { first, untilRead, type Fault } from './fault.ts';
import { head, whole, type Play } from './provider.ts';

const reset: Play = ({ socket }) => void socket.resetAndDestroy();
const hang: Play = () => {};
/** A header for raw answers. Without it, a page cannot read them. */
const forPages = 'access-control-allow-origin: *\r\n';

/** Faults before an answer begins, and faults of HTTP itself. */
export const connectionFaults: Fault[] = [
  { name: 'resets the connection before an answer', play: reset, ends: 'network', attempts: 3 },
  { name: 'resets once', play: first(1, reset), ends: 'done', attempts: 2 },
  { name: 'resets twice', play: first(2, reset), ends: 'done', attempts: 3 },
  {
    name: 'closes the connection before an answer',
    play: ({ socket }) => void socket.end(),
    ends: 'network',
    attempts: 3,
  },
  {
    name: 'closes the connection inside the status line',
    play: ({ socket }) => void socket.end('HTTP/1.1 20'),
    ends: 'network',
    attempts: 3,
  },
  {
    name: 'takes the request and never answers',
    play: hang,
    ends: 'timeout',
    details: { phase: 'first_chunk' },
  },
  {
    name: 'sends half of its headers and no more',
    play: ({ socket }) => void socket.write('HTTP/1.1 200 OK\r\ncontent-type: text/ev'),
    ends: 'timeout',
    details: { phase: 'first_chunk' },
  },
  {
    name: 'answers with something that is not HTTP',
    play: ({ socket }) => void socket.end('SSH-2.0-OpenSSH_9.6\r\n'),
    ends: 'network',
    byProxy: { attempts: 3 },
  },
  {
    name: 'sends headers of 100 KB',
    play: ({ socket }) => void socket.end(`HTTP/1.1 200 OK\r\nx-filler: ${'x'.repeat(100_000)}\r\n\r\n`),
    ends: 'network',
    attempts: 3,
  },
  {
    name: 'promises more bytes than it sends',
    play: async ({ response, answer }) => {
      head(response, { 'content-length': '100000' });
      response.write(answer.start + answer.text.join(''));
      await untilRead();
      response.destroy();
    },
    ends: 'stream_truncated',
  },
  {
    name: 'breaks its chunked encoding',
    play: async ({ socket, answer }) => {
      const body = answer.start + answer.text.join('');
      socket.write(
        `HTTP/1.1 200 OK\r\n${forPages}content-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n`,
      );
      socket.write(`${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n`);
      await untilRead();
      socket.end('nonsense\r\n');
    },
    ends: 'stream_truncated',
  },
  {
    name: 'says gzip and sends plain text',
    play: ({ response, answer }) => {
      head(response, { 'content-encoding': 'gzip' });
      response.end(whole(answer));
    },
    ends: 'stream_truncated',
    attempts: 3,
  },
  {
    name: 'answers in HTTP/1.0, until the connection ends',
    play: ({ socket, answer }) => {
      socket.end(`HTTP/1.0 200 OK\r\n${forPages}content-type: text/event-stream\r\n\r\n${whole(answer)}`);
    },
    ends: 'done',
  },
  {
    name: 'sends 100 Continue and 103 Early Hints first',
    play: ({ socket, answer }) => {
      const body = whole(answer);
      socket.end(
        'HTTP/1.1 103 Early Hints\r\nlink: </a>; rel=preload\r\n\r\n' +
          `HTTP/1.1 200 OK\r\n${forPages}content-type: text/event-stream\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      );
    },
    ends: 'done',
  },
];
