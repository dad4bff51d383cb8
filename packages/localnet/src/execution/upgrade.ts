import { fromBase64, fromHex, normalizeSuiAddress } from '@mysten/sui/utils';
import { blake2b256 } from '../internal/blake2b.ts';
import { brokenInvariant } from '../vm/errors.ts';
import type { LoadedPackage } from '../vm/loader/package.ts';
import { ByteVector, StructValue, type Value } from '../vm/values.ts';
import { verifyPackage } from '../vm/verifier/index.ts';
import { Arguments } from './arguments.ts';
import { CommandFailure } from './failures.ts';
import { idValue, UPGRADE_RECEIPT, UPGRADE_TICKET } from './framework.ts';
import { checkLinked, datatypesOf, linkageOf, readModules } from './package-content.ts';
import type { Program } from './program.ts';
import { runInit } from './publish.ts';
import { ValueSlot } from './slots.ts';
import type { Command, ExecutionOutcome, UpgradeError } from './types.ts';
import { checkPolicy } from './upgrade-policy.ts';

type Upgrade = Extract<Command, { $kind: 'Upgrade' }>['Upgrade'];

/** Publishes a new version of a package, as a ticket allows, and returns the receipt for its UpgradeCap. */
export function upgrade(program: Program, command: Upgrade): void {
  const { session, packages, input } = program;
  const args = new Arguments(program, { mayTakeGas: false });
  const ticketType = program.type(UPGRADE_TICKET);
  const ticket = args.take(program.slot(command.ticket, 0), 0, ticketType).value;
  const { cap, packageId, policy, digest } = ticketParts(ticket);
  const current = normalizeSuiAddress(command.package);
  if (packageId !== current) {
    const error = { kind: 'PackageIDDoesNotMatch', packageId: current, ticketId: packageId } as const;
    throw refusal(error, `the ticket is for package ${packageId}`);
  }
  const computed = packageDigest(command.modules, command.dependencies);
  if (Buffer.compare(digest, computed) !== 0) {
    throw refusal({ kind: 'DigestDoesNotMatch', digest: computed }, 'the ticket is for another digest');
  }
  const before = packages.load(current, input.readObject);
  const { originalId } = before;

  const id = session.context.freshId();
  const published = readModules(program, command.modules, originalId);
  const linkage = linkageOf(program, command.dependencies, originalId);
  checkLinked(published, linkage, originalId);
  const known = new Map(
    before.content.typeOrigins.map((origin) => [`${origin.module}::${origin.datatype}`, origin]),
  );
  const content: ExecutionOutcome['packages'][number] = {
    kind: 'package',
    id,
    version: before.content.version + 1n,
    originalId,
    modules: new Map(
      published.map(({ name, bytes }) => [name, bytes] as const).sort(([a], [b]) => (a < b ? -1 : 1)),
    ),
    typeOrigins: published.flatMap((module) =>
      datatypesOf(module).map(
        (datatype) =>
          known.get(`${module.name}::${datatype}`) ?? { module: module.name, datatype, packageId: id },
      ),
    ),
    linkage,
  };
  const after = packages.publish(content, input.readObject);
  checkNoInitAdded(before, after);
  // First, because verification takes datatypes to be what the version that defined them says.
  checkPolicy(policy, before, after);
  verifyPackage(after);
  program.published.push(content);
  for (const { name } of published) {
    if (!before.content.modules.has(name)) runInit(program, after.module(name)!);
  }

  const receipt = new StructValue([idValue(cap), idValue(id)]);
  const slot = new ValueSlot(program.type(UPGRADE_RECEIPT), receipt);
  slot.clique.join(args.entangle());
  slot.clique.heat(1);
  program.addResults([slot]);
  program.outputs.add([slot]);
}

/** An `init` runs once, when its module is new: a module that had none does not get one. */
function checkNoInitAdded(before: LoadedPackage, after: LoadedPackage): void {
  for (const name of after.content.modules.keys()) {
    const old = before.module(name);
    if (old === undefined || old.function('init') || !after.module(name)!.function('init')) continue;
    throw refusal({ kind: 'IncompatibleUpgrade' }, `${name}::init is new in a module that is not`);
  }
}

function refusal(error: UpgradeError, message: string): CommandFailure {
  return new CommandFailure({ kind: 'PackageUpgradeError', error, message });
}

/** `UpgradeTicket { cap: ID, package: ID, policy: u8, digest: vector<u8> }`. */
function ticketParts(ticket: Value) {
  const [cap, packageId, policy, digest] = ticket instanceof StructValue ? ticket.fields : [];
  if (!(cap instanceof StructValue && packageId instanceof StructValue && digest instanceof ByteVector)) {
    throw brokenInvariant('the upgrade ticket has another shape');
  }
  return {
    cap: cap.fields[0] as string,
    packageId: packageId.fields[0] as string,
    policy: policy as number,
    digest: digest.view,
  };
}

/** Blake2b-256 over the sorted digests of modules and ids of dependencies, as `UpgradeCap` authorises it. */
function packageDigest(modules: string[], dependencies: string[]): Uint8Array {
  const parts = [
    ...modules.map((module) => blake2b256(fromBase64(module))),
    ...dependencies.map((id) => fromHex(normalizeSuiAddress(id))),
  ];
  parts.sort(Buffer.compare);
  return blake2b256(...parts);
}
