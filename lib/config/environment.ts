import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { nearestName } from '../errors/nearest-name.ts';

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

/** Names that a settings file may hold for others: for Compose, for the command line, for Node. */
const others =
  /^(COMPOSE_|DOCKER_|POSTGRES_|NODE_|TEST_)|^(PUBLISH_HOST|SUI_SECRET_KEY(_FILE)?|SUI_RPC_URL|MARKETPLACE_(URL|API_KEY)|WEBHOOK_SECRET)$/;
/** How names begin that are nobody else's. */
const ours = /^(MARKETPLACE|TESTNET|MAINNET|WALRUS|SUI_(TESTNET|MAINNET))_/;

/**
 * Sentences on names that are not settings but were probably meant to be: every one in a settings file; of the
 * environment, which is full of others' names, those that begin like ours or are one slip away from one.
 */
export function unknownSettings(
  env: Readonly<Record<string, string | undefined>>,
  known: readonly string[],
  fileNames: readonly string[],
): string[] {
  const inFile = new Set(fileNames);
  return Object.keys(env).flatMap((name) => {
    if (known.includes(name) || others.test(name)) return [];
    const slip = known.find((candidate) => isSlipOf(name.toUpperCase(), candidate));
    if (slip === undefined && !inFile.has(name) && !ours.test(name)) return [];
    const meant = slip ?? nearestName(name, known);
    return `${name} is not a setting${meant === undefined ? '' : `; did you mean ${meant}?`}`;
  });
}

/** Whether one letter was added, left out or exchanged, two neighbours changed places, or nothing but case differs. */
function isSlipOf(given: string, meant: string): boolean {
  let from = 0;
  while (from < given.length && given[from] === meant[from]) from += 1;
  const rest = given.slice(from);
  const due = meant.slice(from);
  if (rest === due) return true;
  const swapped = due.length > 1 ? `${due[1]}${due[0]}${due.slice(2)}` : due;
  return rest.slice(1) === due || rest === due.slice(1) || rest.slice(1) === due.slice(1) || rest === swapped;
}
