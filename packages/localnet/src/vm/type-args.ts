import { substitute, type Type } from './types.ts';

export const NO_TYPES: readonly Type[] = [];

interface TypedFrame {
  readonly typeArgs: readonly Type[];
}

/** Types of an instruction within a frame; those without parameters are themselves, the others are remembered. */
export function typesIn(types: readonly Type[]): (frame: TypedFrame) => readonly Type[] {
  if (!types.some((type) => type.open)) return () => types;
  let lastArgs: readonly Type[] | undefined;
  let last = types;
  return (frame) => {
    if (frame.typeArgs !== lastArgs) {
      last = types.map((type) => substitute(type, frame.typeArgs));
      lastArgs = frame.typeArgs;
    }
    return last;
  };
}
