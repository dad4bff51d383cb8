export { type Bind, formatHost, listenOn, type Port } from './listen-on.ts';
export { FileLockedError, lockFile } from './lock-file.ts';
export { makeFolder } from './make-folder.ts';
export { moveDurably } from './move-durably.ts';
export { replaceFile } from './replace-file.ts';
export { terminalLines } from './terminal-lines.ts';
