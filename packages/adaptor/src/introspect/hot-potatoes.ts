import type { CodeModule } from './code/module.ts';
import { type Datatype, type MoveType, writeType } from './code/move-type.ts';
import type { Program } from './code/program.ts';
import { isHotPotato } from './executable.ts';
import type { HotPotato } from './types.ts';

/** Maximum number of pairs of one package, which may have many functions that create a value and many that take it. */
const pairsMax = 256;

/** Finds the pairs of public functions where one returns a hot potato and the other takes it by value. */
export function findHotPotatoes(program: Program, modules: readonly CodeModule[]): HotPotato[] {
  const makers: { key: string; type: string; name: string }[] = [];
  const takers = new Map<string, string[]>();
  for (const module of modules) {
    for (const definition of module.functions) {
      if (definition.visibility !== 'Public') continue;
      const { name, parameters, returns, constraints } = module.handle(definition.function);
      const path = `${module.name}::${name}`;
      const findPotatoes = (types: readonly MoveType[]) =>
        types.filter((type): type is Datatype => isHotPotato(type, constraints));
      for (const type of findPotatoes(returns)) {
        makers.push({ key: buildKey(type), type: writeType(type, program.definingId), name: path });
      }
      for (const key of new Set(findPotatoes(parameters).map(buildKey))) {
        const known = takers.get(key);
        if (known) known.push(path);
        else takers.set(key, [path]);
      }
    }
  }
  const pairs = makers
    .slice(0, pairsMax)
    .flatMap(({ key, type, name: begin }) =>
      (takers.get(key) ?? []).slice(0, pairsMax).map((finish) => ({ type, begin, finish })),
    );
  return pairs.slice(0, pairsMax);
}

const buildKey = ({ address, module, name }: Datatype) => `${address}::${module}::${name}`;
