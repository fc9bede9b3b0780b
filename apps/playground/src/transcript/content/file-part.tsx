import { FileText, Image as ImageIcon } from 'lucide-react';
import { useState } from 'react';
import { formatSize } from '../../ui/format.ts';
import { visibleText } from '../../ui/visible-text.ts';
import type { FilePart } from '../transcript-item.ts';

/** Image types that a page can draw from bytes. No other address is ever loaded. */
const drawable = /^data:image\/(?:png|jpeg|gif|webp|avif|bmp|svg\+xml)[;,]/i;

/** A file in a message: a picture if it is one, otherwise its type and name. */
export function FileView({ file }: { file: FilePart }) {
  const [broken, setBroken] = useState(false);
  const { mediaType, url, filename } = file;
  const name = visibleText(filename ?? mediaType);
  if (drawable.test(url) && !broken) {
    return (
      <img
        src={url}
        alt={filename === undefined ? `Attached picture (${name})` : `Attached picture ${name}`}
        onError={() => setBroken(true)}
        className="max-h-40 max-w-full rounded-md border border-line bg-panel object-contain"
      />
    );
  }
  const Icon = mediaType.startsWith('image') ? ImageIcon : FileText;
  return (
    <span className="inline-flex h-7 max-w-full items-center gap-1.5 rounded-md border border-line bg-panel px-2 text-sm text-ink-2">
      <Icon aria-hidden className="size-3.5 shrink-0 text-ink-3" />
      <span className="truncate">{name}</span>
      <span className="shrink-0 text-ink-3">{whereabouts(url)}</span>
    </span>
  );
}

/** The size of a file in the message, or the address of one elsewhere. */
function whereabouts(url: string): string {
  const data = /^data:[^,]*,/.exec(url);
  if (data !== null) {
    const length = url.length - data[0].length;
    return formatSize(/;base64,$/i.test(data[0]) ? Math.floor((length * 3) / 4) : length);
  }
  try {
    const { protocol, host } = new URL(url);
    return protocol === 'http:' || protocol === 'https:' ? `at ${host}, not loaded` : 'not loaded';
  } catch {
    return 'not loaded';
  }
}
