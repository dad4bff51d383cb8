import { createHash } from 'node:crypto';
import { type Content, Html, html } from './html.ts';

const style =
  'body{font:15px/1.5 system-ui,sans-serif;max-width:70rem;margin:0 auto;padding:1rem;color-scheme:light dark}' +
  'table{border-collapse:collapse;width:100%}td,th{text-align:left;vertical-align:top;padding:.2rem .8rem .2rem 0;' +
  'border-bottom:1px solid #8884;overflow-wrap:anywhere}code,pre{font:13px/1.4 ui-monospace,monospace}' +
  'pre{overflow:auto;max-height:32rem;background:#8881;padding:.6rem}input{width:24rem;max-width:70%}.bad{color:#c33}';

/** For every page: no script, nothing from elsewhere, and the one style. */
export const headers = {
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'content-type': 'text/html; charset=utf-8',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};

/** A whole page. One that is `live` loads itself again. */
export function page(title: string, body: Content, live = false): string {
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
${live ? html`<meta http-equiv="refresh" content="3">` : undefined}
<title>${title} · local Sui network</title>${new Html(`<style>${style}</style>`)}</head><body>
<nav><a href="/explorer">Local Sui network</a></nav>
<form action="/explorer/find"><label>Id, digest or checkpoint <input name="q" required maxlength="80"></label>
<button>Show</button></form>
<h1>${title}</h1>${body}</body></html>`.text;
}

/** Rows of a name and a value; those without a value are left out. */
export function facts(rows: [string, Content][]): Html {
  return html`<table>${rows.map(([name, value]) =>
    value === undefined ? undefined : html`<tr><th scope="row">${name}</th><td>${value}</td></tr>`,
  )}</table>`;
}

export function table(names: string[], rows: Content[][]): Html {
  if (rows.length === 0) return html`<p>None.</p>`;
  return html`<table><tr>${names.map((name) => html`<th scope="col">${name}</th>`)}</tr>${rows.map(
    (row) => html`<tr>${row.map((cell) => html`<td>${cell}</td>`)}</tr>`,
  )}</table>`;
}

const maxText = 20_000;

/** A value as indented JSON, cut where it is long. */
export function data(value: unknown): Html {
  const text = JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? String(each) : each), 2) ?? '';
  return block(text);
}

export function block(text: string): Html {
  const cut =
    text.length > maxText ? `${text.slice(0, maxText)}\n… ${text.length - maxText} characters more` : text;
  return html`<pre>${cut}</pre>`;
}

const link = (kind: string, id: string) => html`<a href="/explorer/${kind}/${id}"><code>${id}</code></a>`;
export const transactionLink = (digest: string) => link('transactions', digest);
export const checkpointLink = (sequence: bigint) => link('checkpoints', String(sequence));
export const objectLink = (id: string) => link('objects', id);
export const addressLink = (address: string) => link('addresses', address);
