import { SendHorizontal } from 'lucide-react';
import { useState, type FormEvent, type KeyboardEvent, type Ref } from 'react';
import { Button } from '../ui/button.tsx';

type ComposerProps = { ref: Ref<HTMLTextAreaElement>; onSend: (text: string) => void };

/** The message input: Enter sends, Shift+Enter begins a line. */
export function Composer({ ref, onSend }: ComposerProps) {
  const [text, setText] = useState('');

  function submit(event: FormEvent | KeyboardEvent): void {
    event.preventDefault();
    if (text.trim() === '') return;
    onSend(text.trim());
    setText('');
  }

  return (
    <form onSubmit={submit} className="flex gap-2">
      <textarea
        ref={ref}
        aria-label="Message"
        placeholder="Ask about a guest, or have one written to"
        rows={2}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          // an input method uses Enter to choose a word; Safari then marks only the key code
          const isComposing = event.nativeEvent.isComposing || event.keyCode === 229;
          if (event.key === 'Enter' && !event.shiftKey && !isComposing) submit(event);
        }}
        className="field scroll resize-none text-lg"
      />
      <Button type="submit" variant="primary" aria-disabled={text.trim() === ''} className="h-auto! px-4">
        <SendHorizontal />
        Send
      </Button>
    </form>
  );
}
