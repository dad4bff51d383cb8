import { stripVTControlCharacters } from 'node:util';

type Terminal = Pick<NodeJS.WriteStream, 'write' | 'columns'>;

/** The last line of a terminal, which is written over. Other output goes above it. */
export interface StatusLine {
  /** Shows the text, cut to the width of the terminal. Without a text, removes the line. */
  show(text?: string): void;
  /** Writes whole lines above the status. */
  write(lines: string): void;
}

/** Moves to the start of the line, and clears it. */
const clear = '\r\x1b[2K';

export function createStatusLine(terminal: Terminal): StatusLine {
  let shown = '';
  return {
    show(text = '') {
      const cut = stripVTControlCharacters(text).slice(0, (terminal.columns || 80) - 1);
      if (cut === shown) return;
      shown = cut;
      terminal.write(`${clear}${shown}`);
    },
    write(lines) {
      terminal.write(shown === '' ? lines : `${clear}${lines}${shown}`);
    },
  };
}
