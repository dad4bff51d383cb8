import { fromBase64, fromHex, normalizeSuiAddress } from '@mysten/sui/utils';
import { blake2b } from '@noble/hashes/blake2.js';
import { VmError } from '../vm/errors.ts';
import { checkCompatible } from '../vm/loader/compatibility.ts';
import { verifyPackage } from '../vm/loader/verify.ts';
import { ByteVector, StructValue, type Value } from '../vm/values.ts';
import { Arguments } from './arguments.ts';
import { CommandFailure } from './failures.ts';
import { idValue, UPGRADE_RECEIPT, UPGRADE_TICKET } from './framework.ts';
import { checkLinked, datatypesOf, linkageOf, readModules } from './package-content.ts';
import { outputOf, type Program } from './program.ts';
import { ValueSlot } from './slots.ts';
import type { Command, CommandOutput, ExecutionOutcome } from './types.ts';

type Upgrade = Extract<Command, { $kind: 'Upgrade' }>['Upgrade'];

/** Policies of `sui::package`: any compatible change, only additions, only other dependencies. */
const POLICY = { compatible: 0, additive: 128, dependenciesOnly: 192 };

/** Publishes a new version of a package, as a ticket allows, and returns the receipt for its UpgradeCap. */
export function upgrade(program: Program, command: Upgrade): CommandOutput {
  const { session, packages, input } = program;
  const args = new Arguments(program, { mayTakeGas: false });
  const ticketType = program.type(UPGRADE_TICKET);
  const ticket = args.take(program.slot(command.ticket, 0), 0, ticketType).value;
  const { cap, packageId, policy, digest } = ticketParts(ticket);
  const current = normalizeSuiAddress(command.package);
  if (packageId !== current) refuse(`the ticket is for package ${packageId}`);
  checkPolicy(policy);
  if (Buffer.compare(digest, packageDigest(command.modules, command.dependencies)) !== 0) {
    refuse('the ticket is for another digest');
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
  if (policy === POLICY.dependenciesOnly && !sameModules(before.content.modules, content.modules)) {
    refuse('the ticket allows no change of modules');
  }
  try {
    checkCompatible(before, after);
  } catch (error) {
    if (!(error instanceof VmError)) throw error;
    refuse(error.message);
  }
  verifyPackage(after);
  program.published.push(content);

  const receipt = new StructValue([idValue(cap), idValue(id)]);
  const slot = new ValueSlot(program.type(UPGRADE_RECEIPT), receipt);
  slot.clique.join(args.clique);
  slot.clique.heat(1);
  program.results.push([slot]);
  return { returnValues: [outputOf(slot.type, receipt)], mutatedByRef: [] };
}

function checkPolicy(policy: number): void {
  if (policy === POLICY.additive) {
    throw new CommandFailure({ kind: 'Unsupported', message: 'additive upgrades are not supported' });
  }
  if (policy !== POLICY.compatible && policy !== POLICY.dependenciesOnly) {
    refuse(`upgrade policy ${policy} is unknown`);
  }
}

function sameModules(before: Map<string, Uint8Array>, after: Map<string, Uint8Array>): boolean {
  return (
    before.size === after.size &&
    [...before].every(([name, bytes]) => {
      const next = after.get(name);
      return next !== undefined && Buffer.compare(bytes, next) === 0;
    })
  );
}

function refuse(message: string): never {
  throw new CommandFailure({ kind: 'PackageUpgradeError', message });
}

/** `UpgradeTicket { cap: ID, package: ID, policy: u8, digest: vector<u8> }`. */
function ticketParts(ticket: Value) {
  const [cap, packageId, policy, digest] = ticket instanceof StructValue ? ticket.fields : [];
  if (!(cap instanceof StructValue && packageId instanceof StructValue && digest instanceof ByteVector)) {
    throw new VmError('verification', 'the upgrade ticket has another shape');
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
    ...modules.map((module) => blake2b(fromBase64(module), { dkLen: 32 })),
    ...dependencies.map((id) => fromHex(normalizeSuiAddress(id))),
  ];
  parts.sort(Buffer.compare);
  return blake2b(Buffer.concat(parts), { dkLen: 32 });
}
