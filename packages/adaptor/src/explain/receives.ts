import type { ReceivesClaim } from './explanation.ts';
import { isHolder, type Movement, type Origin, type Value } from './origin.ts';
import type { Input } from './parse.ts';
import { listRoutes } from './summarize.ts';

/** Lists the inputs that were sent to objects, each with the places that it, or a part of it, goes to. */
export function listReceived(
  inputs: readonly Input[],
  values: readonly Value[],
  movements: readonly Movement[],
): ReceivesClaim[] {
  const roots = new Map<Origin, Origin>();
  const byRoot = Map.groupBy(movements, ({ origin }) => findRoot(origin, roots));
  return inputs.flatMap((input, at) => {
    const value = values[at]!;
    if (input.$kind !== 'Object' || input.Object.$kind !== 'Receiving') return [];
    if (value.access !== 'receiving' || value.objectId === undefined) return [];
    const own = [...value.parts.keys()].find(({ parent, holder }) => parent === undefined && holder);
    if (own?.holder?.kind !== 'object') return [];
    const gone = (byRoot.get(own) ?? []).filter(({ to }) => !isHolder(own.holder, to));
    const { id: from } = own.holder;
    return [{ id: value.objectId, type: value.type ?? own.type, from, routes: listRoutes(gone) }];
  });
}

/** @param known roots that were found before, so that parts of parts are followed once */
function findRoot(origin: Origin, known: Map<Origin, Origin>): Origin {
  const path: Origin[] = [];
  let root = origin;
  for (let parent = root.parent; parent; parent = root.parent) {
    path.push(root);
    root = known.get(parent) ?? parent;
  }
  for (const each of path) known.set(each, root);
  return root;
}
