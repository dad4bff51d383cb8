import { createHash } from 'node:crypto';
import type { Tool } from '@modelcontextprotocol/server';
import type { OpToolRef } from '../../../db/queries/catalog/op-tools.ts';
import type { OpTerms } from '../../../lib/actions/op-terms.ts';
import { buildInputSchema, listValueNames } from './op-arguments.ts';

/**
 * An op that the caller may run, as a tool. Its name and description contain no text of its publisher. It has the hints of a
 * tool that moves funds, which are the defaults of the protocol.
 */
export interface OpTool extends Pick<OpToolRef, 'serviceType' | 'hash'> {
  tool: Tool;
  terms: OpTerms;
}

export const buildOpTool = (ref: OpToolRef, terms: OpTerms): OpTool => ({
  tool: {
    name: nameOpTool(ref),
    description: 'Moves funds.',
    inputSchema: buildInputSchema(terms),
  },
  serviceType: ref.serviceType,
  hash: ref.hash,
  terms,
});

/**
 * Names the tool of an op by its service and by the manifest that lists it, which determines all of its calls: a call of a
 * name can only run the listing that the caller read. 144 bits of it, because a publisher can search for two manifests
 * with one name.
 */
const nameOpTool = ({ serviceType, hash, position }: OpToolRef): string =>
  `${nameService(serviceType)}${digest(`${hash} ${position}`, 24)}`;

const nameService = (serviceType: string) => `op_${digest(serviceType, 4)}`;

const digest = (content: string, length: number) =>
  createHash('sha256').update(content).digest('base64url').slice(0, length);

/** Returns `true` for the name of a tool of the service, at any version of its listing. */
export const hasServiceName = (name: string, { serviceType }: Pick<OpTool, 'serviceType'>) =>
  name.startsWith(nameService(serviceType));

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
