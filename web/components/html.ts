import { html as template } from 'htm/preact';
import { type ComponentChildren, Fragment, h } from 'preact';
import { renderToString } from 'preact-render-to-string';

/** What a template makes. Text in it is escaped when it is rendered. */
export type Html = ComponentChildren;

/** A template of HTML. Components are functions that return one, and are called in it: `${badge('good', 'Verified')}`. */
export const html = template as (strings: TemplateStringsArray, ...values: unknown[]) => Html;

/** HTML as text. */
export const render = (content: Html): string => renderToString(h(Fragment, null, content));

/** Markup that this project made, put in as it is. */
export const raw = (markup: string): Html => h('div', { dangerouslySetInnerHTML: { __html: markup } });
