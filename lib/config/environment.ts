import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';

const file = '.env';

/** The process's environment, with what `.env` in the working folder adds; what is set already wins. */
export function environment(): Record<string, string | undefined> {
  if (existsSync(file)) process.loadEnvFile(file);
  return process.env;
}

/** Names that `.env` sets. */
export function environmentFileNames(): string[] {
  return existsSync(file) ? Object.keys(parseEnv(readFileSync(file, 'utf8'))) : [];
}
