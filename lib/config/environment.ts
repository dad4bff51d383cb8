import { existsSync } from 'node:fs';

/** The process's environment, with what `.env` in the working folder adds; what is set already wins. */
export function environment(): Record<string, string | undefined> {
  if (existsSync('.env')) process.loadEnvFile('.env');
  return process.env;
}
