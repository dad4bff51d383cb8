import { type Html, html } from './html.ts';

/** Paths of the icons, in a box of 16 by 16. */
const paths = {
  good: 'M8 0a8 8 0 1 1 0 16A8 8 0 0 1 8 0zm3.5 5L7 9.5 4.5 7 3.3 8.2 7 12l5.7-5.8z',
  caution: 'M8 .5 16 15H0zM7 6v4h2V6zm0 5.3v1.9h2v-1.9z',
  danger: 'M5 0h6l5 5v6l-5 5H5l-5-5V5zm2 3.5v5.6h2V3.5zm0 7v2h2v-2z',
  neutral: 'M8 0a8 8 0 1 1 0 16A8 8 0 0 1 8 0zm0 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2z',
  star: 'm8 1 2.1 4.6 5 .6-3.7 3.4 1 5L8 12.1 3.6 14.6l1-5L.9 6.2l5-.6z',
  copy: 'M5 1h8a2 2 0 0 1 2 2v8h-2V3H5zM1 5h10v10H1z',
};

/** Definitions of all icons. The frame has them once, so that a page with hundreds of icons stays small. */
export const iconDefinitions: Html = html`<svg class="icons" width="0" height="0" aria-hidden="true">${Object.entries(
  paths,
).map(
  ([name, path]) =>
    html`<symbol id=${`icon-${name}`} viewBox="0 0 16 16"><path fill-rule="evenodd" fill="currentColor" d=${path} /></symbol>`,
)}</svg>`;

/** Renders an icon, which the frame defines. */
export const icon = (name: keyof typeof paths): Html =>
  html`<svg class="icon" aria-hidden="true"><use href=${`#icon-${name}`} /></svg>`;
