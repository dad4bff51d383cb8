import { resolve } from 'node:path';

/** The folder of the Move packages of this repository. */
export const moveDir = resolve(import.meta.dirname, '../../move');
