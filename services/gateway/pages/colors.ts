/** A part of the API page, with its text and what is behind it. */
interface Pair {
  selector: string;
  text: string;
  behind: string;
  /** Whether `behind` is of this part, rather than of the page. */
  fills?: boolean;
}

/** Grounds of the page, by its mode. */
const grounds = { light: '#ffffff', dark: '#1c2022' } as const;

const method = (name: string, behind: string): Pair => ({
  selector: `.swagger-ui .opblock.opblock-${name} .opblock-summary-method`,
  text: '#ffffff',
  behind,
  fills: true,
});

/** In place of colours of Swagger UI that are hard to read. */
export const readable: Readonly<Record<keyof typeof grounds, readonly Pair[]>> = {
  light: [
    method('get', '#1d5f9e'),
    method('post', '#17703f'),
    method('patch', '#0d6b5c'),
    method('delete', '#b3261e'),
    { selector: '.swagger-ui .btn.execute', text: '#ffffff', behind: '#1d5f9e', fills: true },
    { selector: '.swagger-ui .btn.authorize', text: '#17703f', behind: grounds.light },
    {
      selector: '.swagger-ui .info .title small.version-stamp',
      text: '#ffffff',
      behind: '#3f6212',
      fills: true,
    },
    { selector: '.swagger-ui .info .title small', text: '#ffffff', behind: '#55606e', fills: true },
    { selector: '.swagger-ui a, .swagger-ui .info a, #reference a', text: '#1d5f9e', behind: grounds.light },
    {
      selector: '.swagger-ui .parameter__in, .swagger-ui .parameter__extension',
      text: '#55606e',
      behind: grounds.light,
    },
    { selector: '.swagger-ui .parameter__name.required::after', text: '#b3261e', behind: grounds.light },
    { selector: '#reference', text: '#1f2933', behind: grounds.light },
    { selector: '#reference pre, #reference code', text: '#1f2933', behind: '#eef1f4', fills: true },
  ],
  dark: [
    method('get', '#1d5f9e'),
    method('post', '#17703f'),
    method('patch', '#0d6b5c'),
    method('delete', '#b3261e'),
    { selector: '.swagger-ui a, .swagger-ui .info a, #reference a', text: '#8cc2ff', behind: grounds.dark },
    {
      selector: '.swagger-ui .parameter__in, .swagger-ui .parameter__extension',
      text: '#b7bcbf',
      behind: grounds.dark,
    },
    { selector: '.swagger-ui .parameter__name.required::after', text: '#ff9b94', behind: grounds.dark },
    { selector: '#reference', text: '#e4e6e6', behind: grounds.dark },
    { selector: '#reference pre, #reference code', text: '#e4e6e6', behind: '#0d1014', fills: true },
  ],
};

const rule = (prefix: string, { selector, text, behind, fills }: Pair): string => {
  const selectors = selector.split(', ').map((one) => `${prefix}${one}`);
  return `${selectors.join(', ')} { color: ${text}; opacity: 1;${fills ? ` background: ${behind};` : ''} text-shadow: none; }`;
};

/** The rules of one mode. Swagger UI is dark below `html.dark-mode`, which takes the script; the rest is dark without. */
const rulesOf = (mode: keyof typeof grounds, prefix: string): string =>
  readable[mode].map((pair) => rule(prefix, pair)).join('\n');

const withoutScript = readable.dark.filter(({ selector }) => selector.startsWith('#reference'));

/** `GET /docs/page.css`: the API page beside Swagger UI's own style. */
export const pageStyle = `:root { color-scheme: light dark; }
body { margin: 0; background: ${grounds.light}; }
#reference { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 0 auto; padding: 1rem; }
#reference article { border-top: 1px solid #8a94a0; padding-top: 1rem; margin-top: 1rem; }
#reference h3 { font-size: 1.1rem; overflow-wrap: anywhere; }
#reference pre { padding: .6rem; overflow-x: auto; }
#reference dt { font-weight: 600; margin-top: .4rem; }
#reference dd { margin: 0; }
:focus-visible { outline: 2px solid #1d5f9e; outline-offset: 2px; }
${rulesOf('light', '')}
@media (prefers-color-scheme: dark) {
body { background: ${grounds.dark}; }
${withoutScript.map((pair) => rule('', pair)).join('\n')}
:focus-visible { outline-color: #8cc2ff; }
}
${rulesOf('dark', 'html.dark-mode ')}
`;
