import { agentsEvents } from '../../../lib/chain/events/agents.ts';
import type { EventCodec } from '../../../lib/chain/events/codec.ts';
import { escrowEvents } from '../../../lib/chain/events/escrow.ts';
import { rulesEvents } from '../../../lib/chain/events/rules.ts';
import { walletEvents } from '../../../lib/chain/events/wallet.ts';
import { listFollowedSources, type NetworkSettings } from '../../../lib/config/networks.ts';
import { type GeneratedChain, registryPackageId } from './chain.ts';

/** Ids of the packages in generated chains, besides the registry's. */
export const packageIds = {
  wallet: `0x${'a2'.repeat(32)}`,
  rules: `0x${'a3'.repeat(32)}`,
  agents: `0x${'a4'.repeat(32)}`,
  escrow: `0x${'a5'.repeat(32)}`,
};

/** Settings that follow all of these packages. */
export const marketPackages = {
  walletPackageId: packageIds.wallet,
  rulesPackageId: packageIds.rules,
  agentsPackageId: packageIds.agents,
  escrowPackageId: packageIds.escrow,
};

/** The sources that read these packages and the registry. */
export const marketSources = listFollowedSources(marketPackages);

export const codecs = {
  wallet: walletEvents,
  rules: rulesEvents,
  agents: agentsEvents,
  escrow: escrowEvents,
};

/** The modules with events of a generated package. Any other id counts as a registry's. */
export function listEventModules(packageId: string): string[] {
  const source = Object.entries(packageIds).find(([, id]) => id === packageId)?.[0];
  if (!source) return ['registry'];
  const { names } = codecs[source as keyof typeof codecs] as EventCodec<unknown>;
  return [...new Set(names.map((name: string) => name.split('::')[0]!))];
}

/** An event with its position on the chain. */
export interface DecodedEvent {
  /** `module::Name`. */
  name: string;
  // biome-ignore lint/suspicious/noExplicitAny: the fields of all events are read alike
  fields: any;
  checkpoint: number;
  txIndex: number;
  eventIndex: number;
  at: number;
  digest: string;
  sender: string;
}

/** The events of a source in the order of the chain. Events whose bytes do not decode are left out. */
export function* decodedEvents(chain: GeneratedChain, source: keyof typeof codecs): Generator<DecodedEvent> {
  for (const { checkpoint, txIndex, timestampMs: at, digest, sender, events } of chain.transactions) {
    for (const [eventIndex, { type, contents }] of events.entries()) {
      if (!type.startsWith(`${packageIds[source]}::`)) continue;
      const name = type.slice(type.indexOf('::') + 2);
      const fields = decode(source, name, contents);
      if (fields) yield { name, fields, checkpoint, txIndex, eventIndex, at, digest, sender };
    }
  }
}

function decode(source: keyof typeof codecs, name: string, contents: Uint8Array) {
  try {
    return (codecs[source] as EventCodec<Record<string, unknown>>).decode(name, contents);
  } catch {
    return undefined;
  }
}

/** Settings that follow the generated registry on a node. */
export function settingsFor(rpcUrl: string, more: Partial<NetworkSettings> = {}): NetworkSettings {
  return {
    network: 'testnet',
    rpcUrl,
    registryPackageId,
    registryObjectId: `0x${'0'.repeat(64)}`,
    aggregatorUrl: 'http://127.0.0.1:9',
    ...more,
  };
}
