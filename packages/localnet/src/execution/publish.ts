import { linkModule } from '../vm/code/linkage.ts';
import type { LoadedModule } from '../vm/loader/module.ts';
import { Ref, StructValue, type Value } from '../vm/values.ts';
import { verifyPackage } from '../vm/verifier/index.ts';
import { idValue, UPGRADE_CAP, uidValue } from './framework.ts';
import { checkLinked, datatypesOf, linkageOf, readModules } from './package-content.ts';
import type { Program } from './program.ts';
import { ValueSlot } from './slots.ts';
import type { Command, ExecutionOutcome } from './types.ts';

type Publish = Extract<Command, { $kind: 'Publish' }>['Publish'];

/** Publishes a new package, runs its `init` functions and returns the right to upgrade it. */
export function publish(program: Program, { modules, dependencies }: Publish): void {
  const { session, packages, input } = program;
  // As on chain, the package's id is the first new id of the command; those of `init` and the cap follow.
  const id = session.context.freshId();
  const published = readModules(program, modules, id);
  const linkage = linkageOf(program, dependencies, id);
  checkLinked(published, linkage, id);
  const content: ExecutionOutcome['packages'][number] = {
    kind: 'package',
    id,
    version: 1n,
    originalId: id,
    modules: new Map(
      published.map(({ name, bytes }) => [name, bytes] as const).sort(([a], [b]) => (a < b ? -1 : 1)),
    ),
    typeOrigins: published.flatMap((module) =>
      datatypesOf(module).map((datatype) => ({ module: module.name, datatype, packageId: id })),
    ),
    linkage,
  };
  const loaded = packages.publish(content, input.readObject);
  verifyPackage(loaded);
  program.published.push(content);
  for (const { name } of published) runInit(program, loaded.module(name)!);

  const capId = session.context.freshId();
  session.objects.recordNew(capId);
  // UpgradeCap { id, package, version, policy }; policy 0 allows every compatible change.
  const cap = new StructValue([uidValue(capId), idValue(id), 1n, 0]);
  const slot = new ValueSlot(program.type(UPGRADE_CAP), cap);
  program.addResults([slot]);
  program.outputs.add([slot]);
}

/** Runs the `init` of a module that a package has for the first time, if there is one. */
export function runInit(program: Program, module: LoadedModule): void {
  const init = module.function('init');
  if (init === undefined) return;
  // A witness is an empty struct, which the compiler gives one bool.
  const args: Value[] = init.parameters.length === 2 ? [new StructValue([true])] : [];
  args.push(new Ref(program.txContext, 0));
  program.session.running = { packageId: module.package.id, module: module.name };
  program.machine.run(linkModule(module.package, module).function(init), [], args);
}
