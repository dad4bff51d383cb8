import { setImmediate } from 'node:timers/promises';
import { createCssVariablesTheme, createHighlighterCoreSync, type HighlighterCore } from 'shiki/core';
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript';
import bash from 'shiki/langs/bash.mjs';
import graphql from 'shiki/langs/graphql.mjs';
import javascript from 'shiki/langs/javascript.mjs';
import json from 'shiki/langs/json.mjs';
import move from 'shiki/langs/move.mjs';
import python from 'shiki/langs/python.mjs';
import sql from 'shiki/langs/sql.mjs';
import toml from 'shiki/langs/toml.mjs';
import typescript from 'shiki/langs/typescript.mjs';

const languages = [bash, graphql, javascript, json, move, python, sql, toml, typescript];

/** Each token gets the name of a variable as its color. The policy of pages forbids style attributes. */
const theme = createCssVariablesTheme({ name: 'site', variablePrefix: '--', fontStyle: false });

/** Classes of `site.css` by the kind of token. Other tokens have the color of the text. */
const classes: Readonly<Record<string, string>> = {
  'token-keyword': 't-k',
  'token-string': 't-s',
  'token-string-expression': 't-s',
  'token-constant': 't-c',
  'token-comment': 't-m',
  'token-function': 't-f',
};

let highlighter: HighlighterCore | undefined;

/** Creates the highlighter at the first use. It compiles the grammars of the languages that pages show. */
function open(): HighlighterCore {
  highlighter ??= createHighlighterCoreSync({
    themes: [theme],
    langs: languages,
    engine: createJavaScriptRegexEngine({ forgiving: true }),
  });
  return highlighter;
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;' };
/** Escapes a text between tags. Quotes stay, because programs have many of them. */
const escapeText = (text: string): string => text.replace(/[&<]/g, (char) => entities[char]!);

let prepared: Promise<void> | undefined;

/**
 * Compiles the grammars, some 100 ms each, and lets other requests pass between them. A page that is rendered before
 * waits for those of its languages.
 */
export function prepareHighlighter(): Promise<void> {
  prepared ??= (async () => {
    for (const name of languages.map((one) => one.at(-1)!.name)) {
      await setImmediate();
      open().codeToTokensBase('x = "y" // 1', { lang: name, theme: 'site', tokenizeTimeLimit: 0 });
    }
  })();
  return prepared;
}

/** Longest text that is highlighted, in characters. Below it, no time limit may cut the colors of a busy host. */
const lengthMax = 50_000;

/** Returns the HTML of each line of a program. A text in an unknown language is only escaped. */
export function highlightLines(text: string, language: string): string[] {
  const shiki = open();
  const name = language.toLowerCase();
  if (text.length > lengthMax || !shiki.getLoadedLanguages().includes(name))
    return text.split('\n').map(escapeText);
  return shiki.codeToTokensBase(text, { lang: name, theme: 'site', tokenizeTimeLimit: 0 }).map((tokens) => {
    // Neighbors of one color are one element.
    const runs: { name: string | undefined; text: string }[] = [];
    for (const { content, color } of tokens) {
      const kind = classes[/--([\w-]+)/.exec(color ?? '')?.[1] ?? ''];
      const last = runs.at(-1);
      if (last && (last.name === kind || content.trim() === '')) last.text += content;
      else runs.push({ name: kind, text: content });
    }
    return runs
      .map(({ name, text }) =>
        name === undefined ? escapeText(text) : `<span class="${name}">${escapeText(text)}</span>`,
      )
      .join('');
  });
}

export const highlight = (text: string, language: string): string =>
  highlightLines(text, language).join('\n');
