/** A fault of a statement, at a character from 1. */
export interface Fault {
  position: number;
  message: string;
}

/** The control in which a reader writes a statement. */
export interface Editor {
  read(): string;
  /** Marks the fault, and moves the cursor there. */
  showFault(fault: Fault): void;
  clearFault(): void;
}

/** Returns the offset of a character in UTF-16 code units. The API counts code points from 1. */
export const toOffset = (text: string, position: number): number =>
  [...text].slice(0, Math.max(0, position - 1)).join('').length;

/** Describes the position of a character as line and column, both from 1. */
export function describePosition(text: string, position: number): string {
  const before = text.slice(0, toOffset(text, position)).split('\n');
  return `line ${before.length}, column ${[...before.at(-1)!].length + 1}`;
}

/** Returns the end of the word at an offset: of at least one character, if there is one. */
export function findWordEnd(text: string, from: number): number {
  const [word = ''] = /^(?:[\p{L}\p{N}_]+|.)/su.exec(text.slice(from)) ?? [];
  return from + word.length;
}

/** Returns the textarea as an editor: until the real one is loaded, and if it cannot be loaded. */
export const createPlainEditor = (textarea: HTMLTextAreaElement): Editor => ({
  read: () => textarea.value,
  showFault({ position }) {
    const from = toOffset(textarea.value, position);
    textarea.focus();
    textarea.setSelectionRange(from, findWordEnd(textarea.value, from));
  },
  clearFault() {},
});
