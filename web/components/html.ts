import { html as template } from 'htm/preact';
import { type ComponentChildren, Fragment, h } from 'preact';
import { renderToString } from 'preact-render-to-string';

/** Result of a template. The renderer escapes the text in it. */
export type Html = ComponentChildren;

/** HTML template tag. A component is a function that returns `Html`: `${badge('good', 'Verified')}`. */
export const html = template as (strings: TemplateStringsArray, ...values: unknown[]) => Html;

export const render = (content: Html): string => renderToString(h(Fragment, null, content));

/** Inserts markup without escaping it. Use it only for markup that this project generates. */
export const raw = (markup: string): Html => h('div', { dangerouslySetInnerHTML: { __html: markup } });
