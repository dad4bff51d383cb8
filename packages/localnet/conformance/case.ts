import type { SuiGrpcClient } from '@mysten/sui/grpc';
import type { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import type { Picked } from './pick.ts';

/** What a case is given: a client over one transport, and what was found on the network to ask about. */
export interface Subject {
  client: SuiGrpcClient;
  /** Where the network answers, for cases that look at HTTP itself. */
  url: string;
  picked: Picked;
  /** Pays for what is executed; only there when a funded one was given. */
  key: Ed25519Keypair | undefined;
}

export interface Case {
  /** The service, or what else it is about. */
  about: string;
  /** What holds on a network that conforms. */
  name: string;
  /** `key`: executes transactions with a funded key. `http`: independent of the client's transport. */
  needs?: 'key' | 'http';
  /** @throws AssertionError with the difference, NotApplicable where the network has nothing to ask about. */
  run(subject: Subject): Promise<void>;
}

/** Why a case says nothing about this network. */
export class NotApplicable extends Error {}

/** The cases of one service from a table of names and checks. */
export function casesOf(
  about: string,
  table: Record<string, Case['run']>,
  needs?: NonNullable<Case['needs']>,
): Case[] {
  return Object.entries(table).map(([name, run]) => ({ about, name, run, ...(needs && { needs }) }));
}

/** The value, or the case does not apply. */
export function required<Value>(value: Value | undefined, what: string): Value {
  if (value === undefined) throw new NotApplicable(what);
  return value;
}
