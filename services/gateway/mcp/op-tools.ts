import { createHmac } from 'node:crypto';
import type { Tool } from '@modelcontextprotocol/server';
import type { OpToolRef } from '../../../db/queries/catalog/op-tools.ts';
import type { OpTerms } from '../../../lib/actions/op-terms.ts';
import { buildInputSchema, listValueNames } from './op-arguments.ts';

/**
 * An op that the caller may run, as a tool. Its name and description contain no text of its publisher. It has no
 * annotations: their defaults in the protocol, destructive and not idempotent, are right for a tool that moves funds.
 */
export interface OpTool extends Pick<OpToolRef, 'serviceType' | 'hash'> {
  tool: Tool;
  terms: OpTerms;
}

/** A wallet, and the secret key of this installation. The names of its tools are hashes with this key. */
interface NamingWallet {
  secret: Buffer;
  network: string;
  walletId: string;
}

export const buildOpTool = (wallet: NamingWallet, ref: OpToolRef, terms: OpTerms): OpTool => ({
  tool: {
    name: nameOpTool(wallet, ref),
    description: 'Moves funds.',
    inputSchema: buildInputSchema(terms),
  },
  serviceType: ref.serviceType,
  hash: ref.hash,
  terms,
});

/**
 * Names the tool of an op: four hex digits of the service's hash, and eight of the hash of the manifest and of the op's
 * position in it. The manifest determines all calls of the op, so a call by this name can only run the listing that the
 * caller read. Eight digits are enough because the hash has a secret key: a publisher cannot search for two manifests
 * with one name. The hash includes the wallet, so that a publisher cannot learn the names at other wallets from its own.
 */
const nameOpTool = (wallet: NamingWallet, { serviceType, hash, position }: OpToolRef): string =>
  `${nameService(wallet, serviceType)}${digest(wallet, [serviceType, hash, position], 8)}`;

const nameService = (wallet: NamingWallet, serviceType: string) => `op_${digest(wallet, [serviceType], 4)}`;

const digest = ({ secret, network, walletId }: NamingWallet, parts: readonly unknown[], length: number) =>
  createHmac('sha256', secret)
    .update(JSON.stringify([network, walletId, ...parts]))
    .digest('hex')
    .slice(0, length);

export const isOpToolName = (name: string): boolean => /^op_[0-9a-f]{12}$/.test(name);

/**
 * Returns `true` for the name of a tool of the service, at any version of its listing. The names of one in 65,536 other
 * services have the same four digits. Use the result for the text of an error, and never to choose the op that runs.
 */
export const hasServiceName = (wallet: NamingWallet, name: string, serviceType: string): boolean =>
  name.startsWith(nameService(wallet, serviceType));

/** Describes an op for the result of the tool `operations`. Texts of the publisher are in `writtenByPublisher` alone. */
export const describeOpTool = ({ tool, serviceType, hash, terms }: OpTool) => ({
  tool: tool.name,
  manifestHash: hash,
  packages: terms.packages,
  objects: terms.objects,
  writtenByPublisher: {
    adaptor: terms.names.adaptor,
    serviceType,
    operation: terms.op,
    label: terms.names.label,
    fixedValues: JSON.stringify(terms.fixed),
    values: listValueNames(terms.values),
  },
});
