import { copyCodeButton } from '../components/code.ts';
import { type Html, html } from '../components/html.ts';
import { highlightLines } from './highlight.ts';

/** Renders a program in its colors, each line an element. The highlighter is for the server alone. */
export function highlighted(text: string, language: string, label = 'Copy code'): Html {
  const __html = highlightLines(text.trimEnd(), language)
    .map((line) => `<span>${line}</span>`)
    .join('\n');
  return html`<div class="code"><pre tabindex="0"><code dangerouslySetInnerHTML=${{ __html }}></code></pre>${copyCodeButton(label)}</div>`;
}
