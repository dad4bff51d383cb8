/** Text that is HTML already: only `html` makes it. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Content = Html | string | number | bigint | undefined | Content[];

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function textOf(content: Content): string {
  if (content === undefined) return '';
  if (content instanceof Html) return content.text;
  if (Array.isArray(content)) return content.map(textOf).join('');
  // Marks that turn the direction of text would show another name than there is.
  return String(content)
    .replace(/[\p{Cf}]/gu, '\ufffd')
    .replace(/[&<>"']/g, (found) => entities[found]!);
}

/** HTML in which every value is escaped; attributes must stand in quotes. */
export function html(parts: TemplateStringsArray, ...values: Content[]): Html {
  return new Html(parts.reduce((text, part, index) => text + textOf(values[index - 1]) + part));
}
