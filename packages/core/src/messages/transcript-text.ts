import type { ModelMessage, ToolResultPart } from 'ai';

type ContentPart = Exclude<ModelMessage['content'], string>[number];

const roleNames: Record<ModelMessage['role'], string> = {
  system: 'System',
  user: 'User',
  assistant: 'Assistant',
  tool: 'Tools',
};

/** Returns a conversation as text for a reader who does not take part in it. Files are only mentioned. */
export function transcriptText(messages: readonly ModelMessage[]): string {
  return messages.map(({ role, content }) => `${roleNames[role]}:\n${contentText(content)}`).join('\n\n');
}

/** Returns a message's text, calls and results. */
export function contentText(content: ModelMessage['content']): string {
  return typeof content === 'string' ? content : content.map(partText).filter(Boolean).join('\n');
}

function partText(part: ContentPart): string {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'tool-call':
      return `[calls ${part.toolName} with ${JSON.stringify(part.input)}]`;
    case 'tool-result':
      return `[${part.toolName} ${outputText(part.output)}]`;
    case 'image':
    case 'file':
      return `[a file${part.mediaType === undefined ? '' : `, ${part.mediaType}`}]`;
    default:
      // reasoning and approvals are left out
      return '';
  }
}

function outputText(output: ToolResultPart['output']): string {
  switch (output.type) {
    case 'text':
      return `answers: ${output.value}`;
    case 'error-text':
      return `fails: ${output.value}`;
    case 'error-json':
      return `fails: ${JSON.stringify(output.value)}`;
    case 'execution-denied':
      return `is not allowed${output.reason === undefined ? '' : `: ${output.reason}`}`;
    case 'content':
      return `answers: ${output.value.map((item) => (item.type === 'text' ? item.text : '[a file]')).join('\n')}`;
    default:
      return `answers: ${JSON.stringify(output.value)}`;
  }
}
