import { createHmac } from 'node:crypto';
import type { Tool } from '@modelcontextprotocol/server';
import type { OpToolRef } from '../../../db/queries/catalog/op-tools.ts';
import type { OpTerms } from '../../../lib/actions/op-terms.ts';
import { buildInputSchema, listValueNames } from './op-arguments.ts';

/**
 * An op that the caller may run, as a tool. Its name and description contain no text of its publisher. It has the hints
 * of a tool that moves funds, which are the defaults of the protocol.
 */
export interface OpTool extends Pick<OpToolRef, 'serviceType' | 'hash'> {
  tool: Tool;
  terms: OpTerms;
}

/** A wallet, with the secret of this installation that the names of its tools follow from. */
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
 * Names the tool of an op: four hex digits of its service, and eight of the manifest that lists it, which determines
 * all of its calls, and of the position there. A call of a name can only run the listing that the caller read. Eight
 * digits are enough because the hash has a secret key: a publisher cannot search for two manifests with one name. It
 * also has the wallet: names that a publisher sees at a wallet of its own say nothing about those of another.
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
 * Returns `true` for the name of a tool of the service, at any version of its listing. One of 65,536 names of other
 * services has the same four digits, so that the answer may decide how an error reads, and never which op runs.
 */
export const hasServiceName = (wallet: NamingWallet, name: string, serviceType: string): boolean =>
  name.startsWith(nameService(wallet, serviceType));

/** An op as `operations` returns it. The publisher's text is separate from the rest. */
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
