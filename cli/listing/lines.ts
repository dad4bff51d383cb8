import { table } from '../output/table.ts';
import type { Draft } from './draft.ts';

/** What a draft lists, for whoever signs it. */
export function draftLines({ manifest, serviceType, manifestHash }: Draft): string[] {
  const ops = manifest.ops.map(({ module, entry, kind, call }) => [
    `${module}::${entry}`,
    kind,
    call ? call.args.map(argument).join(', ') : 'none',
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

type Argument = NonNullable<Draft['manifest']['ops'][number]['call']>['args'][number];

function argument(one: Argument): string {
  if (one.role === 'object') return `object ${one.objectId}`;
  if (one.role === 'pure') return `${one.name ?? 'pure'}: ${one.type}`;
  return one.role;
}
