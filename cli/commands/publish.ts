import { InvalidArgumentError } from 'commander';
import { normalizeAddress } from '../../lib/chain/names.ts';
import { messageOf } from '../../lib/errors/index.ts';
import { type CompiledPackage, compilePackage, moduleId } from '../../lib/move/index.ts';
import { pairArgument, several } from '../arguments.ts';
import { type Io, Refusal } from '../io.ts';
import { answer } from '../options.ts';
import { signAndExecute } from '../signing/execute.ts';
import { type SigningOptions, signingCommand, withSession } from '../signing/session.ts';

interface Options extends SigningOptions {
  with?: [name: string, id: string][];
}

/** A package of the signer's on chain, linked to those that it uses. */
export function publishCommand(io: Io) {
  return signingCommand('publish', 'Compiles a Move package and publishes it. The UpgradeCap is yours.')
    .argument('<folder>', 'with Move.toml and sources; dependencies are local folders')
    .option(
      '--with <name=id>',
      "where a dependency is on chain, by its Move.toml's name; may be repeated. The marketplace knows the wallet's",
      several(dependency),
    )
    .action(async (folder: string, options: Options) => {
      const published = await withSession(io, options, async (session) => {
        const { walletPackage, address } = session;
        const wallet = walletPackage?.originalId;
        const ids = { ...(wallet && { wallet }), ...Object.fromEntries(options.with ?? []) };
        const { modules, dependencies: named } = await compile(folder, ids);
        // Bytecode names a package as first published; what it is linked to is the version that it calls.
        const dependencies = named.map((id) => (id === wallet ? walletPackage!.calledId : id));
        const { digest, created } = await signAndExecute(session, `the publication of ${folder}`, (tx) => {
          const content = { modules: modules.map((module) => [...module]), dependencies };
          tx.transferObjects([tx.publish(content)], address);
        });
        return {
          packageId: created.find(({ type }) => type === 'package')?.id,
          upgradeCapId: created.find(({ type }) => type.endsWith('::package::UpgradeCap'))?.id,
          modules: modules.map((module) => moduleId(module).name),
          created: created.filter(({ type }) => type !== 'package'),
          digest,
        };
      });
      answer(io, options, published, () => [
        `package      ${published.packageId}`,
        `upgrade cap  ${published.upgradeCapId}`,
        `modules      ${published.modules.join(', ')}`,
        `digest       ${published.digest}`,
      ]);
    });
}

async function compile(folder: string, published: Record<string, string>): Promise<CompiledPackage> {
  const compiled = await compilePackage(folder, { published }).catch((error: unknown) => {
    throw new Refusal(`${folder} does not compile.\n${messageOf(error)}`);
  });
  if (compiled.modules.length === 0) throw new Refusal(`${folder} has no modules in its folder sources.`);
  return compiled;
}

function dependency(text: string): [string, string] {
  const [name, id] = pairArgument(text);
  const address = normalizeAddress(id);
  if (address === undefined)
    throw new InvalidArgumentError(`Give name=id, the id as 0x and up to 64 hex digits.`);
  return [name, address];
}
