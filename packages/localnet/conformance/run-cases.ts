import type { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { type Case, NotApplicable } from './case.ts';
import { cases } from './cases/index.ts';
import { pickSubjects } from './pick.ts';
import { connect, type Transport, transports } from './transports.ts';

export interface Result {
  case: Case;
  /** `HTTP` for cases that need no client. */
  transport: Transport | 'HTTP';
  outcome: 'pass' | 'fail' | 'not applicable';
  /** The difference, or why the case does not apply. */
  detail?: string;
}

interface RunOptions {
  url: string;
  key?: Ed25519Keypair | undefined;
  headers?: Record<string, string>;
  /** Only cases whose service or rule contains this. */
  only?: string | undefined;
}

/** Runs every case over every transport, one after the other, and answers each result as it is there. */
export async function* runCases({ url, key, headers = {}, only = '' }: RunOptions): AsyncGenerator<Result> {
  let picked: Awaited<ReturnType<typeof pickSubjects>> | undefined;
  for (const transport of transports) {
    const { client, close } = connect(transport, url, headers);
    try {
      picked ??= await pickSubjects(client);
      for (const each of cases) {
        if (!`${each.about} ${each.name}`.includes(only)) continue;
        if (each.needs === 'http' && transport !== transports[0]) continue;
        const label = each.needs === 'http' ? 'HTTP' : transport;
        if (each.needs === 'key' && !key) {
          yield {
            case: each,
            transport: label,
            outcome: 'not applicable',
            detail: 'no funded key was given',
          };
          continue;
        }
        yield await resultOf(each, label, () => each.run({ client, url, picked: picked!, key }));
      }
    } finally {
      close();
    }
  }
}

async function resultOf(
  each: Case,
  transport: Result['transport'],
  run: () => Promise<void>,
): Promise<Result> {
  try {
    await run();
    return { case: each, transport, outcome: 'pass' };
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    const outcome = error instanceof NotApplicable ? 'not applicable' : 'fail';
    return { case: each, transport, outcome, detail };
  }
}
