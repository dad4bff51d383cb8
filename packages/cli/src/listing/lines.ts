import type { CallArgument } from '@adaptor-marketplace/adaptor/call-spec';
import { isExecutable, type ListedOp, opFault } from '@adaptor-marketplace/adaptor/op';
import { table } from '../output/table.ts';
import type { Draft } from './draft.ts';

/** What a draft lists, for whoever signs it. */
export function draftLines({ manifest, serviceType, manifestHash }: Draft): string[] {
  const listed: readonly ListedOp[] = manifest.ops;
  const ops = listed.map((op) => [
    `${op.module}::${op.entry}`,
    String(op.kind),
    isExecutable(op) ? op.call.args.map(argument).join(', ') : `none: ${opFault(op)?.detail}`,
  ]);
  return [
    `${manifest.name}, ${manifest.category}: ${manifest.summary}`,
    ...table(['OP', 'KIND', 'CALL'], ops),
    `service type   ${serviceType}`,
    `manifest hash  ${manifestHash}`,
  ];
}

/** What a publisher should look at before they sign. */
export function warningLines(warnings: Draft['warnings']): string[] {
  return warnings.map(({ code, op, detail }) => `warning  ${op ? `${op}: ` : ''}${detail} (${code})`);
}

function argument(one: CallArgument): string {
  if (one.role === 'object') return `object ${one.objectId}`;
  if (one.role === 'pure') {
    const fixed = one.value === undefined ? '' : ` = ${JSON.stringify(one.value)}`;
    return `${one.name ?? 'pure'}: ${one.type}${fixed}`;
  }
  return one.role;
}
