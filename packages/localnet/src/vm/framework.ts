import type { DatatypeType, Type } from './types.ts';

/** Ids of the framework's packages. */
export const STD = `0x${'1'.padStart(64, '0')}`;
export const SUI = `0x${'2'.padStart(64, '0')}`;
export const SUI_SYSTEM = `0x${'3'.padStart(64, '0')}`;

export function isFrameworkType(
  type: Type | undefined,
  owner: 'std' | 'sui',
  module: string,
  name: string,
): type is DatatypeType {
  return (
    type?.kind === 'datatype' &&
    type.datatype.name === name &&
    type.datatype.module === module &&
    type.datatype.definingId === (owner === 'std' ? STD : SUI)
  );
}
