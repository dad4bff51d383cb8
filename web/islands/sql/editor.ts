import type { SqlSchema } from '@adaptor-marketplace/sdk';
import {
  autocompletion,
  type Completion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { PostgreSQL, sql } from '@codemirror/lang-sql';
import { bracketMatching, HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { setDiagnostics } from '@codemirror/lint';
import { EditorState, Prec } from '@codemirror/state';
import { EditorView, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { type Editor, findWordEnd, toOffset } from './plain-editor.ts';

const colors = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.typeName], color: 'var(--code-keyword)' },
  { tag: tags.string, color: 'var(--code-string)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--code-constant)' },
  { tag: tags.standard(tags.name), color: 'var(--code-function)' },
  { tag: tags.comment, color: 'var(--muted)' },
]);

const theme = EditorView.theme({
  '&': {
    height: '100%',
    border: '1px solid var(--field)',
    borderRadius: '4px',
    background: 'var(--background)',
    color: 'var(--text)',
    fontSize: '13px',
  },
  '&.cm-focused': { outline: '2px solid var(--accent)' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.5', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-gutters': {
    background: 'var(--surface)',
    color: 'var(--muted)',
    borderRight: '1px solid var(--line)',
  },
  '.cm-tooltip': { background: 'var(--surface)', color: 'var(--text)', border: '1px solid var(--line)' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    background: 'var(--accent)',
    color: 'var(--on-accent)',
  },
  '.cm-completionInfo': { maxWidth: '320px' },
});

/**
 * Replaces a selection by typed text. The browser would give the text the colors of the selection in a style attribute, which
 * the policy of the site refuses with a report.
 */
const typeOverSelection = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { data, inputType } = event;
    const { from, to, empty } = view.state.selection.main;
    if (inputType !== 'insertText' || data === null || empty || view.composing) return false;
    const insert = () =>
      view.state.update(view.state.replaceSelection(data), { userEvent: 'input.type', scrollIntoView: true });
    const handlers = view.state.facet(EditorView.inputHandler);
    if (!handlers.some((handle) => handle(view, from, to, data, insert))) view.dispatch(insert());
    return true;
  },
});

/** Names that the editor completes: the views and, after one of them, its columns. */
const buildCompletions = (views: SqlSchema['views']) =>
  Object.fromEntries(
    views.map(({ name, description, columns }) => {
      const self: Completion = { label: name, type: 'type', detail: 'view', info: description };
      const children = columns.map(
        (column): Completion => ({
          label: column.name,
          type: 'property',
          detail: column.type,
          info: column.description,
        }),
      );
      return [name, { self, children }];
    }),
  );

/**
 * Replaces the textarea by an editor, which writes each change back to it. The editor is in a shadow root: there its
 * styles are adopted style sheets, which the policy of the site allows, and not elements, which it refuses.
 */
export function openEditor(
  textarea: HTMLTextAreaElement,
  views: SqlSchema['views'],
  run: () => void,
): Editor {
  const container = textarea.parentElement!;
  const host = document.createElement('div');
  const root = host.attachShadow({ mode: 'open' });
  const hadFocus = document.activeElement === textarea;
  const { value: doc, selectionStart: anchor, selectionEnd: head } = textarea;
  const runKey = {
    key: 'Mod-Enter',
    preventDefault: true,
    run: () => {
      run();
      return true;
    },
  };
  const view = new EditorView({
    parent: root,
    root,
    state: EditorState.create({
      doc,
      selection: { anchor, head },
      extensions: [
        lineNumbers(),
        history(),
        bracketMatching(),
        closeBrackets(),
        autocompletion(),
        sql({
          dialect: PostgreSQL,
          schema: { analytics: buildCompletions(views) },
          defaultSchema: 'analytics',
        }),
        syntaxHighlighting(colors),
        theme,
        EditorView.lineWrapping,
        typeOverSelection,
        EditorView.contentAttributes.of({ 'aria-label': 'Statement', spellcheck: 'false' }),
        EditorView.updateListener.of(({ docChanged, state }) => {
          if (docChanged) textarea.value = state.doc.toString();
        }),
        EditorState.changeFilter.of(({ newDoc }) => newDoc.length <= textarea.maxLength),
        Prec.highest(keymap.of([runKey])),
        // The tab key leaves the editor, as it leaves every other control.
        keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap, ...completionKeymap]),
      ],
    }),
  });
  textarea.hidden = true;
  container.append(host);
  const label = document.querySelector<HTMLLabelElement>(`label[for="${textarea.id}"]`);
  label?.addEventListener('click', () => view.focus());
  if (hadFocus) view.focus();
  const read = () => view.state.doc.toString();
  return {
    read,
    showFault({ position, message }) {
      const from = Math.min(toOffset(read(), position), view.state.doc.length);
      const to = findWordEnd(read(), from);
      view.dispatch(setDiagnostics(view.state, [{ from, to, message, severity: 'error' }]), {
        selection: { anchor: from },
        scrollIntoView: true,
      });
      view.focus();
    },
    clearFault: () => view.dispatch(setDiagnostics(view.state, [])),
  };
}
