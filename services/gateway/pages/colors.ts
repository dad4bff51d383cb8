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
    { selector: '.swagger-ui a, .swagger-ui .info a', text: '#1d5f9e', behind: grounds.light },
    {
      selector: '.swagger-ui .parameter__in, .swagger-ui .parameter__extension',
      text: '#55606e',
      behind: grounds.light,
    },
    { selector: '.swagger-ui .parameter__name.required::after', text: '#b3261e', behind: grounds.light },
  ],
  dark: [
    method('get', '#1d5f9e'),
    method('post', '#17703f'),
    method('patch', '#0d6b5c'),
    method('delete', '#b3261e'),
    { selector: '.swagger-ui a, .swagger-ui .info a', text: '#8cc2ff', behind: grounds.dark },
    {
      selector: '.swagger-ui .parameter__in, .swagger-ui .parameter__extension',
      text: '#b7bcbf',
      behind: grounds.dark,
    },
    { selector: '.swagger-ui .parameter__name.required::after', text: '#ff9b94', behind: grounds.dark },
  ],
};

const rule = (prefix: string, { selector, text, behind, fills }: Pair): string => {
  const selectors = selector.split(', ').map((one) => `${prefix}${one}`);
  return `${selectors.join(', ')} { color: ${text}; opacity: 1;${fills ? ` background: ${behind};` : ''} text-shadow: none; }`;
};

/** The rules of one mode. Swagger UI is dark below `html.dark-mode`. */
const rulesOf = (mode: keyof typeof grounds, prefix: string): string =>
  readable[mode].map((pair) => rule(prefix, pair)).join('\n');

/** `GET /docs/page.css`: the API page beside Swagger UI's own style. */
export const pageStyle = `${rulesOf('light', '')}
${rulesOf('dark', 'html.dark-mode ')}
`;
